import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { holdfast } from './in-process.js';
import { withProject } from './project.js';

const IMPORTS = `import { defineAgent, defineTool, ScriptedModel } from 'holdfast';\n`;
const tool = (def: string): string =>
  `defineTool({ name: 't', description: 'd', parameters: { type: 'object' }, ${def} }, () => 'x')`;
const agentOf = (tools: string): string =>
  `defineAgent({ name: 'a', instructions: '', workspace: '.', model: new ScriptedModel([]), customTools: [${tools}] })`;

function check(code: string, ...options: readonly string[]) {
  return withProject({ 'a.mjs': IMPORTS + code }, (directory) =>
    holdfast(['tool', 'check', join(directory, 'a.mjs'), ...options]),
  );
}

describe('holdfast tool check', () => {
  it.each<[what: string, code: string, exit: number, line: RegExp]>([
    [
      'a tool',
      `export default ${tool(`riskLevel: 'safe'`)}`,
      0,
      /^ok {2}.*a\.mjs {2}t {2}safe {2}no paths$/m,
    ],
    [
      'its paths',
      `export const t = ${tool(
        `riskLevel: 'mutation', parameters: { type: 'object', properties: { to: { type: 'string' } } }, pathArgs: ['to']`,
      )}`,
      0,
      /^ok .* t {2}mutation {2}paths: to$/m,
    ],
    ['the tools of an agent', `export default ${agentOf(tool(`riskLevel: 'safe'`))}`, 0, /^ok .* t {2}safe/m],
    [
      'no riskLevel',
      `export default ${tool('')}`,
      2,
      /^FAIL .* t {2}mutation .*\n {6}Tool t: no riskLevel, so/m,
    ],
    [
      'a level that is none',
      `export default ${tool(`riskLevel: 'mild'`)}`,
      2,
      /^FAIL [^]*riskLevel "mild" is none of/m,
    ],
    [
      'a schema that does not compile',
      `export default ${tool(`riskLevel: 'safe', parameters: { type: 'object', properties: { a: { type: 'text' } } }`)}`,
      2,
      /^FAIL [^]*parameters #\/properties\/a\/type/m,
    ],
    [
      'a path that is no property',
      `export default ${tool(`riskLevel: 'safe', pathArgs: ['to']`)}`,
      2,
      /^FAIL [^]*pathArgs "to" names to, which is no property/m,
    ],
    [
      'a path that is guarded by its name alone',
      `export default ${tool(
        `riskLevel: 'safe', parameters: { type: 'object', properties: { path: { type: 'string' } } }`,
      )}`,
      0,
      /^warn .* paths: path\n {6}Tool t: path is guarded as a path because of its name/m,
    ],
    [
      'the name of a built-in tool',
      `export default ${tool(`riskLevel: 'safe', name: 'read'`)}`,
      2,
      /^FAIL [^]*Tool read: a built-in tool has this name/m,
    ],
    [
      'the name of a built-in tool that is not enabled',
      `export default ${agentOf(tool(`riskLevel: 'safe', name: 'edit'`))}`,
      2,
      /^FAIL [^]*Tool edit: a built-in tool has this name, whether it is enabled or not/m,
    ],
    [
      'the name bash',
      `export default ${tool(`riskLevel: 'safe', name: 'bash'`)}`,
      2,
      /^FAIL [^]*there is no shell/m,
    ],
    [
      'two tools of one name in an agent',
      `export default ${agentOf(`${tool(`riskLevel: 'safe'`)}, ${tool(`riskLevel: 'safe'`)}`)}`,
      2,
      /^FAIL [^]*another tool of the agent has this name/m,
    ],
  ])('reports %s [tool:risk-levels] [api:cli]', async (_what, code, exit, line) => {
    const { code: ended, shown, complaints } = await check(code);
    expect(shown).toMatch(line);
    expect([ended, complaints]).toEqual([exit, '']);
  });

  it('gives the same as JSON [api:cli]', async () => {
    const { code, shown } = await check(`export default ${tool('')}`, '--json');
    expect(code).toBe(2);
    const tools = [{ tool: 't', ok: false, riskLevel: 'mutation', pathArgs: [] }];
    expect(JSON.parse(shown)).toMatchObject({ ok: false, tools });
  });

  it('refuses a module without tools [api:cli]', async () => {
    const { code, complaints } = await check('export default 1');
    expect(complaints).toMatch(/^invalid_module: .*a\.mjs: it exports no tool, and no agent with tools/);
    expect(code).toBe(2);
  });
});

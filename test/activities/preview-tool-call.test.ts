import { jsonBytes } from '../../src/contract/json.js';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { judgePreview, runPreview } from '../../activities/preview-tool-call.js';
import type { ShownPreview } from '../../src/contract/preview.js';
import { defineTool } from '../../src/registry/define-tool.js';
import { offeredTool, ToolRegistry } from '../../src/registry/tool-registry.js';
import { resolveWorkspace } from '../../src/workspace/resolve-workspace.js';
import { makeTree } from '../unit/workspace/tree.js';

type Preview = Parameters<typeof runPreview>[0]['preview'];

async function run(preview: Preview, timeMs?: number): Promise<ShownPreview> {
  const workspace = await resolveWorkspace(await makeTree({ a: 'x' }));
  return new MockActivityEnvironment().run(() => runPreview({ preview, workspace, args: {} }, timeMs));
}

describe('a preview that is run', () => {
  it('has a time, and its signal says when that is over [hitl:preview]', async () => {
    let told: AbortSignal | undefined;
    const endless: Preview = (_args, { signal }) => {
      told = signal;
      return new Promise(() => undefined);
    };
    expect(await run(endless, 1)).toEqual({
      kind: 'failed',
      text: 'The preview took longer than 0.001 s.',
    });
    expect(told?.aborted).toBe(true);
  });

  it.each([
    ['of many lines', '€ é\n'.repeat(40_000)],
    ['of one line', '€'.repeat(80_000)],
    ['of one line beneath a short one', `a\n${'🙂'.repeat(60_000)}`],
    ['of what JSON escapes', '\u0001'.repeat(20_000)],
  ])(
    'is cut after 64 KiB of JSON between characters and says so, when it is %s [hitl:preview]',
    async (_what, text) => {
      const shown = await run(() => ({ kind: 'diff', text, basis: 'x' }));
      expect(shown.text).toMatch(
        /\n\[The preview has \d+ bytes; only its beginning is shown\. See the arguments\.\]\n$/,
      );
      expect(shown.text).not.toContain('\u{FFFD}');
      expect(jsonBytes(shown.text)).toBeLessThan(65 * 1024);
      expect(jsonBytes(shown.text)).toBeGreaterThan(63 * 1024);
    },
  );

  it('is taken member by member, half a surrogate pair replaced [hitl:preview]', async () => {
    const given = { kind: 'text', text: 'a\ud800', basis: 'x', more: 1 };
    expect(await run(() => given)).toEqual({ kind: 'text', text: 'a\ufffd', basis: 'x' });
  });

  it.each([
    undefined,
    null,
    'text',
    { kind: 'html', text: 'x', basis: 'x' },
    { kind: 'text', text: 5, basis: 'x' },
    { kind: 'text', text: 'x', basis: 'x'.repeat(129) },
    { kind: 'text', text: 'x', basis: 'é' },
  ])('that gives %j has failed [hitl:preview]', async (given) => {
    expect(await run(() => given)).toMatchObject({ kind: 'failed' });
  });
});

describe('a preview of a tool that has changed since the run recorded it', () => {
  it('is given no path that the tool declares by now and the guard has not judged [hitl:preview] [risk:pinned] [path:fail-closed]', async () => {
    const seen: unknown[] = [];
    const tool = defineTool(
      {
        name: 'show',
        description: 'Shows a file.',
        riskLevel: 'mutation',
        parameters: { type: 'object', properties: { file: { type: 'string' } } },
        pathArgs: ['file'],
      },
      () => 'shown',
      {
        preview: ({ file }) => {
          seen.push(file);
          return { kind: 'text', text: 'x', basis: 'x' };
        },
      },
    );
    const workspace = await resolveWorkspace(await makeTree({ a: 'x' }));
    const registry = ToolRegistry.create([offeredTool(tool)], () => undefined);
    const preview = (file: string): Promise<ShownPreview> => {
      const call = {
        tool: 'show',
        pathArgs: [],
        riskLevel: 'mutation',
        protectedPaths: [],
        args: { file },
      } as const;
      return new MockActivityEnvironment().run(() => judgePreview({ registry, workspace }, call));
    };
    expect(await preview('/etc/passwd')).toMatchObject({ kind: 'failed' });
    expect(await preview('a')).toMatchObject({ kind: 'text' });
    expect(seen).toEqual([`${workspace.root}/a`]);
  });
});

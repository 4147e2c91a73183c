import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGuardPaths } from '../../activities/guard-paths.js';
import type { RiskLevel } from '../../src/contract/tool.js';
import { HoldfastError } from '../../src/contract/error-codes.js';
import { resolveWorkspace } from '../../src/workspace/resolve-workspace.js';
import { makeTree } from '../unit/workspace/tree.js';

async function open() {
  const base = await makeTree({ 'ws/sub/a': 'A', 'ws/in': { link: 'sub' }, 'o/secret.txt': 'S' });
  const workspace = await resolveWorkspace(join(base, 'ws'));
  const guardPaths = createGuardPaths({
    agentOf: (name) => {
      if (name !== 'clerk') throw new HoldfastError('unknown_agent', 'This worker holds no such agent.');
      return { workspace };
    },
  });
  const call = {
    agent: 'clerk',
    requestKey: 'r:0:0:n',
    tool: 'copy',
    argsDigest: 'd'.repeat(64),
    riskLevel: 'mutation' as RiskLevel,
    protectedPaths: [] as readonly string[],
  };
  return { base, guardPaths, call };
}

describe('guardPaths', () => {
  it('records what it judged, by canonical relative paths alone [run:activities]', async () => {
    const { base, guardPaths, call } = await open();
    const verdict = await guardPaths({
      ...call,
      pathArgs: ['from', 'to'],
      args: { from: 'in/a', to: 'sub/../b' },
    });
    expect(verdict).toEqual({
      allowed: true,
      requestKey: call.requestKey,
      argsDigest: call.argsDigest,
      paths: [
        { argument: 'from', relative: 'sub/a' },
        { argument: 'to', relative: 'b' },
      ],
    });
    expect(JSON.stringify(verdict)).not.toContain(base);
  });

  it('refuses with a code and a text that tells no path [run:activities, path:inside]', async () => {
    const { base, guardPaths, call } = await open();
    const args = { from: 'in/a', to: join(base, 'o/secret.txt') };
    const verdict = await guardPaths({ ...call, pathArgs: ['from', 'to'], args });
    expect(verdict).toEqual({
      allowed: false,
      requestKey: call.requestKey,
      argsDigest: call.argsDigest,
      code: 'path_refused',
      text: expect.stringContaining('The argument to is outside the workspace'),
    });
    expect(JSON.stringify(verdict)).not.toContain('secret');
  });

  it('allows a call without paths [run:activities]', async () => {
    const { guardPaths, call } = await open();
    expect(await guardPaths({ ...call, pathArgs: [], args: { q: '/etc' } })).toMatchObject({
      allowed: true,
      paths: [],
    });
  });

  it('fails for good when the worker holds no such agent [run:activities]', async () => {
    const { guardPaths, call } = await open();
    await expect(guardPaths({ ...call, agent: 'other', pathArgs: [], args: {} })).rejects.toMatchObject({
      type: 'holdfast.unknown_agent',
      nonRetryable: true,
    });
  });

  it.each([
    { riskLevel: 'read_only', path: '.git/config', allowed: true },
    { riskLevel: 'mutation', path: '.git/config', allowed: false },
    { riskLevel: 'read_only', path: '.env', allowed: false },
    { riskLevel: 'read_only', path: 'recorded/x', allowed: false },
  ] as const)(
    'judges $path for a $riskLevel tool by what the worker and the run protect [risk:pinned]',
    async (c) => {
      const { guardPaths, call } = await open();
      const { riskLevel } = c;
      const input = {
        ...call,
        riskLevel,
        protectedPaths: ['recorded/**'],
        pathArgs: ['from'],
        args: { from: c.path },
      };
      expect(await guardPaths(input)).toMatchObject({ allowed: c.allowed });
    },
  );
});

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/digest.js';
import { DEFAULT_PROTECTED_PATHS } from '../../../src/workspace/protected-paths.js';
import { resolveWorkspace } from '../../../src/workspace/resolve-workspace.js';
import { makeTree } from './tree.js';

describe('resolveWorkspace', () => {
  it('resolves a link to the canonical root, once [path:workspace, H04]', async () => {
    const base = await makeTree({ 'real/ws/': '', ws: { link: 'real/ws' } });
    const workspace = await resolveWorkspace(join(base, 'ws'));
    expect(workspace.root).toBe(join(base, 'real/ws'));
    expect(workspace.digest).toBe(sha256(workspace.root));
    expect(workspace.protectedPaths).toEqual(DEFAULT_PROTECTED_PATHS);
  });

  it.each(['file', 'missing', 'dangling', 'file/x', '/'])(
    'refuses %j, which is no directory to work in [path:workspace]',
    async (name) => {
      const base = await makeTree({ file: '', dangling: { link: 'missing' } });
      const refused = resolveWorkspace(name === '/' ? '/' : join(base, name));
      await expect(refused).rejects.toMatchObject({ name: 'HoldfastError', code: 'invalid_workspace' });
      await expect(refused).rejects.not.toThrow(base);
    },
  );

  it.each([
    ['ws/state', ['/state/**']],
    ['ws/deep/st[a]te', [String.raw`/deep/st\[a\]te/**`]],
    ['ws/link', ['/real/**']],
    ['elsewhere', []],
    ['..', []],
  ])(
    'protects the state directory %j where it lies in the workspace [path:protected]',
    async (state, expected) => {
      const base = await makeTree({ 'ws/real/': '', 'ws/link': { link: 'real' } });
      const workspace = await resolveWorkspace(join(base, 'ws'), {
        protectedPaths: [],
        stateDirectory: join(base, state),
      });
      expect(workspace.protectedPaths).toEqual(expected);
    },
  );
});

import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/digest.js';
import { FileTranscriptStore } from '../../../src/transcript/file-store.js';
import { describeTranscriptStore } from './store-contract.js';

const made: string[] = [];
afterAll(() => Promise.all(made.map((directory) => rm(directory, { recursive: true, force: true }))));

async function stateDir(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-store-'));
  made.push(directory);
  return join(directory, 'state');
}

const fileOf = (state: string, digest: string): string =>
  join(state, 'transcript', digest.slice(0, 2), `${digest}.json`);

describeTranscriptStore('The store on files', async () => {
  const state = await stateDir();
  return {
    open: () => new FileTranscriptStore(state),
    remove: (digest) => rm(fileOf(state, digest)),
    alter: async (digest) => {
      const text = await readFile(fileOf(state, digest), 'utf8');
      await writeFile(fileOf(state, digest), text.replace('w', 'W'));
    },
  };
});

describe('FileTranscriptStore', () => {
  it('writes canonical JSON that only its owner can read [run:transcript]', async () => {
    const state = await stateDir();
    const digest = await new FileTranscriptStore(state).put({ b: 1, a: [true] });
    const file = fileOf(state, digest);
    expect(await readFile(file, 'utf8')).toBe('{"a":[true],"b":1}');
    const modes = await Promise.all(
      [file, dirname(file), join(state, 'transcript'), state].map((path) => stat(path)),
    );
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o700, 0o700, 0o700]);
  });

  it('leaves no temporary file, whether the write succeeds or fails [run:transcript]', async () => {
    const state = await stateDir();
    const store = new FileTranscriptStore(state);
    await store.put({ text: 'well' });
    const target = fileOf(state, digestOf({ text: 'ill' }));
    await mkdir(target, { recursive: true });
    await expect(store.put({ text: 'ill' })).rejects.toMatchObject({ syscall: 'rename' });
    expect(await readdir(join(state, 'transcript', 'tmp'))).toEqual([]);
  });

  it('throws the fault of the machine, not of the transcript, when a file cannot be read [run:transcript]', async () => {
    const state = await stateDir();
    const digest = digestOf({ text: 'x' });
    await mkdir(fileOf(state, digest), { recursive: true });
    await expect(new FileTranscriptStore(state).get(digest)).rejects.toMatchObject({ code: 'EISDIR' });
  });

  it('keeps what it verified in memory, up to its bound [run:transcript]', async () => {
    const state = await stateDir();
    const [first, second] = [{ text: 'a'.repeat(100) }, { text: 'b'.repeat(100) }];
    const store = new FileTranscriptStore(state, { cacheBytes: 150 });
    await store.put(first);
    await store.put(second);
    await store.get(digestOf(first));
    await rm(fileOf(state, digestOf(first)));
    await expect(store.get(digestOf(first))).resolves.toEqual(first);
    await store.get(digestOf(second));
    await expect(store.get(digestOf(first))).rejects.toMatchObject({ code: 'transcript_damaged' });
  });

  it('keeps nothing in memory with a bound of 0 [run:transcript]', async () => {
    const state = await stateDir();
    const store = new FileTranscriptStore(state, { cacheBytes: 0 });
    const digest = await store.put({ text: 'x' });
    await store.get(digest);
    await rm(fileOf(state, digest));
    await expect(store.get(digest)).rejects.toMatchObject({ code: 'transcript_damaged' });
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { KINDS } from './kinds.js';
import { differences } from './replay-process.js';

const HISTORIES = fileURLToPath(new URL('histories', import.meta.url));

const PAYLOAD = /"data": "([^"]*)"/g;
const decode = (data: string): string => Buffer.from(data, 'base64').toString();
const encode = (text: string): string => Buffer.from(text).toString('base64');

/** `<version>/<kind>.json`, and `<version>/<kind>.<n>.json` for the nth continuation. */
const recorded = readdirSync(HISTORIES, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.json'))
  .toSorted();
const newest = dirname(recorded.at(-1) ?? '');

/** What today's code says to the latest history of a kind in which one text stands in place of another. */
async function differenceAfter(kind: string, from: string, to: string): Promise<string | null> {
  const json = readFileSync(join(HISTORIES, newest, `${kind}.json`), 'utf8');
  const changed = json
    .replaceAll(from, to)
    .replaceAll(PAYLOAD, (_all, data: string) => `"data": "${encode(decode(data).replaceAll(from, to))}"`);
  expect(changed).not.toBe(json);
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-replay-'));
  try {
    const file = join(directory, `${kind}.json`);
    await writeFile(file, changed);
    const [difference = null] = await differences(inject('workflowBundle'), [file]);
    return difference;
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe('the recorded histories', () => {
  it('are one of each kind of run, for the newest version', () => {
    const names = recorded
      .filter((path) => path.startsWith(`${newest}/`))
      .map((path) => basename(path, '.json'));
    expect(KINDS.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('replay without a difference in a fresh process that has no activity, tool or agent, so that none added, removed or reordered matters [run:deterministic] [H23]', async () => {
    const found = await differences(
      inject('workflowBundle'),
      recorded.map((path) => join(HISTORIES, path)),
    );
    expect(recorded.map((path, index) => [path, found[index]])).toEqual(recorded.map((path) => [path, null]));
  });

  it.each([
    ['an execution becomes another activity', 'free', '"executeTool"', '"callModel"'],
    ['the guard refused what ran', 'free', '"allowed":true', '"allowed":false'],
    ['the approval was a denial', 'approved', '"decision":"approve"', '"decision":"deny"'],
    ['the request was for a free tool', 'expired', '"riskLevel":"mutation"', '"riskLevel":"safe"'],
  ])('do not replay when %s [run:deterministic]', async (_what, kind, from, to) => {
    expect(await differenceAfter(kind, from, to)).toContain('Nondeterminism error');
  });

  it('hold no name or path of the machine that recorded them', () => {
    for (const path of recorded) {
      const json = readFileSync(join(HISTORIES, path), 'utf8');
      const payloads = [...json.matchAll(PAYLOAD)].map(([, data = '']) => decode(data));
      expect([json, ...payloads].join('\n')).not.toMatch(
        /\d+@|["(\s]\/(tmp|home|root|var|work|Users|private)\//,
      );
    }
  });
});

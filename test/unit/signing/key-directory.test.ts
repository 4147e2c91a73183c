import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/contract/decision.js';
import { canonicalJson } from '../../../src/digest.js';
import { KeyDirectory } from '../../../src/signing/key-directory.js';
import { verifySignature } from '../../../src/signing/verify-signature.js';
import { testKey } from '../../harness/keys.js';

let stateDir: string;
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
});
afterEach(() => rm(stateDir, { recursive: true, force: true }));

const decision: Decision = {
  requestKey: 'k',
  runId: 'run',
  tool: 'put',
  decision: 'approve',
  argsDigest: 'a'.repeat(64),
  schemaDigest: 'b'.repeat(64),
  decisionId: 'd',
  approver: 'ada',
};
const NOW = 1_000;

describe('the keys of a state directory', () => {
  it('are made at the first use, for their owner alone, and sign what their worker trusts [hitl:signed]', async () => {
    const keys = new KeyDirectory(stateDir);
    expect(await keys.trusted()).toEqual([]);
    const jws = await keys.sign(decision);
    const verdict = await verifySignature(jws, await keys.trusted(), NOW);
    expect(verdict).toMatchObject({ signature: { kind: 'attested' }, text: canonicalJson({ ...decision }) });
    for (const file of ['signing-key.json', 'trusted.json']) {
      expect((await stat(join(stateDir, 'keys', file))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(join(stateDir, 'keys'))).mode & 0o777).toBe(0o700);
    expect(await readFile(join(stateDir, 'keys', 'trusted.json'), 'utf8')).not.toMatch(/"d"/);
  });

  it('are one pair, however many make them at once [hitl:signed]', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => new KeyDirectory(stateDir).signingKeyId()));
    expect(new Set(ids).size).toBe(1);
    expect(await new KeyDirectory(stateDir).trusted()).toHaveLength(1);
  });

  it('are rotated, and the old one counts until it is revoked, for what came before also after that [hitl:signed]', async () => {
    const keys = new KeyDirectory(stateDir);
    const old = await keys.sign(decision);
    const oldId = await keys.signingKeyId();
    const newId = await keys.rotate();
    expect(newId).not.toBe(oldId);
    expect(await keys.signingKeyId()).toBe(newId);
    expect(await verifySignature(old, await keys.trusted(), NOW)).toMatchObject({ signature: {} });
    await keys.revoke(oldId);
    expect(await verifySignature(old, await keys.trusted(), NOW)).toMatchObject({ signature: {} });
    expect(await verifySignature(old, await keys.trusted(), Date.now())).toMatchObject({
      code: 'key_revoked',
    });
    expect(await verifySignature(await keys.sign(decision), await keys.trusted(), Date.now())).toMatchObject({
      signature: { keyId: newId },
    });
  });

  it('count for nothing when others may write their file [hitl:signed]', async () => {
    const keys = new KeyDirectory(stateDir);
    await keys.sign(decision);
    const file = join(stateDir, 'keys', 'trusted.json');
    await chmod(file, 0o620);
    await expect(keys.trusted()).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining('0600'),
    });
    await chmod(file, 0o644);
    expect(await keys.trusted()).toHaveLength(1);
  });

  it('sign the same text over the same decision, in whatever order its members stand [hitl:stale]', async () => {
    const keys = new KeyDirectory(stateDir);
    const turned = Object.fromEntries(Object.entries(decision).toReversed()) as unknown as Decision;
    expect(await keys.sign(turned)).toBe(await keys.sign(decision));
  });

  it('do not sign by a key that others may have read [hitl:signed]', async () => {
    const keys = new KeyDirectory(stateDir);
    await keys.sign(decision);
    await chmod(join(stateDir, 'keys', 'signing-key.json'), 0o640);
    await expect(keys.sign(decision)).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining('0600'),
    });
  });

  it('take the key of an approver, once, and a revoked one never again [hitl:signed]', async () => {
    const keys = new KeyDirectory(stateDir);
    const ada = await testKey('ada', 'ada');
    expect(await keys.trust(ada.trusted.publicKey, 'ada')).toEqual(ada.trusted);
    await keys.revoke(ada.trusted.keyId);
    await expect(keys.trust(ada.trusted.publicKey, 'ada')).rejects.toMatchObject({ code: 'invalid_config' });
    const [{ revokedAt = 0 } = {}] = await keys.trusted();
    await keys.revoke(ada.trusted.keyId);
    expect((await keys.trusted())[0]?.revokedAt).toBe(revokedAt);
    await expect(keys.revoke('nobody')).rejects.toMatchObject({ code: 'invalid_config' });
  });

  it.each([
    ['no JSON', '{"keys":'],
    ['no set', '[]'],
    ['a private key', (jwk: object) => JSON.stringify({ keys: [{ ...jwk, d: 'x' }] })],
    ['a kid of another key', (jwk: object) => JSON.stringify({ keys: [{ ...jwk, kid: 'other' }] })],
    [
      'an own key without a holder',
      (jwk: object) => JSON.stringify({ keys: [{ ...jwk, holdfast: { kind: 'held' } }] }),
    ],
  ])('count for nothing when their file holds %s [hitl:signed]', async (_what, made) => {
    const keys = new KeyDirectory(stateDir);
    await keys.signingKeyId();
    const file = join(stateDir, 'keys', 'trusted.json');
    const {
      keys: [jwk = {}],
    } = JSON.parse(await readFile(file, 'utf8')) as { keys: object[] };
    await writeFile(file, typeof made === 'string' ? made : made(jwk));
    await expect(keys.trusted()).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringMatching(/^The file of trusted keys is damaged, so no decision counts: /),
    });
  });

  it.each([
    '',
    '{}',
    '{"kty":"OKP","crv":"Ed25519","x":"AA"}',
    '{"kty":"OKP","crv":"Ed25519","x":"AA","d":"AA"}',
  ])('sign nothing when the file of the private key holds %j [hitl:signed]', async (text) => {
    const keys = new KeyDirectory(stateDir);
    await keys.signingKeyId();
    await writeFile(join(stateDir, 'keys', 'signing-key.json'), text);
    await expect(keys.sign(decision)).rejects.toMatchObject({ code: 'invalid_config' });
  });
});

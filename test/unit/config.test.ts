import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'holdfast-config-'));
});
afterEach(() => rm(home, { recursive: true }));

/** Where Temporal's own tools look, on each system. */
function userEnvironment(): Record<string, string> {
  return { HOME: home, XDG_CONFIG_HOME: join(home, 'Library', 'Application Support') };
}

async function profiles(toml: string): Promise<string> {
  const file = join(home, 'Library', 'Application Support', 'temporalio', 'temporal.toml');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, toml);
  return file;
}

describe('readConfig', () => {
  it('gives defaults for an empty environment: embedded server, .holdfast, no write tools, no model', () => {
    expect(readConfig({}, '/somewhere')).toEqual({
      stateDir: '/somewhere/.holdfast',
      searchPath: [],
      enableWriteTools: false,
    });
  });

  it.each([
    ['relative', 'state', '/somewhere/state'],
    ['absolute', '/var/state', '/var/state'],
    ['empty', '', '/somewhere/.holdfast'],
  ])('resolves an %s state directory', (_, value, expected) => {
    expect(readConfig({ HOLDFAST_STATE_DIR: value }, '/somewhere').stateDir).toBe(expected);
  });

  it('finds the file of webhooks from the working directory [hitl:notify]', () => {
    const { webhooksFile } = readConfig({ HOLDFAST_WEBHOOKS: 'hooks.json' }, '/somewhere');
    expect(webhooksFile).toBe('/somewhere/hooks.json');
  });

  it('finds the file of the identity provider from the working directory [api:auth]', () => {
    const { identityProviderFile } = readConfig({ HOLDFAST_IDENTITY_PROVIDER: 'idp.json' }, '/somewhere');
    expect(identityProviderFile).toBe('/somewhere/idp.json');
  });

  it('takes the directories of PATH in order, without empty ones', () => {
    expect(readConfig({ PATH: '/b::/a:' }).searchPath).toEqual(['/b', '/a']);
  });

  it.each([
    ['true', true],
    ['false', false],
    ['', false],
  ])('reads ENABLE_WRITE_TOOLS=%s as %s', (value, expected) => {
    expect(readConfig({ ENABLE_WRITE_TOOLS: value }).enableWriteTools).toBe(expected);
  });
});

describe('the model endpoint', () => {
  const endpoint = { HOLDFAST_MODEL_BASE_URL: 'http://localhost:8080/v1', HOLDFAST_MODEL: 'm' };

  it('is a base URL and a model, with or without a key', () => {
    const expected = { baseUrl: 'http://localhost:8080/v1', model: 'm' };
    expect(readConfig(endpoint).modelEndpoint).toEqual(expected);
    expect(readConfig({ ...endpoint, HOLDFAST_MODEL_API_KEY: 'k' }).modelEndpoint).toEqual({
      ...expected,
      apiKey: 'k',
    });
  });
});

describe('the Temporal server of the environment', () => {
  it('is TEMPORAL_ADDRESS, in the default namespace and without TLS', () => {
    expect(readConfig({ TEMPORAL_ADDRESS: 'temporal.example:7233' }).temporal).toEqual({
      setBy: 'TEMPORAL_ADDRESS',
      connection: { address: 'temporal.example:7233' },
      namespace: 'default',
    });
  });

  it('takes namespace, API key and headers from the environment, and TLS with the key', () => {
    const temporal = readConfig({
      TEMPORAL_ADDRESS: 'temporal.example:7233',
      TEMPORAL_NAMESPACE: 'team',
      TEMPORAL_API_KEY: 'k',
      TEMPORAL_GRPC_META_TEAM: 'a',
    }).temporal;
    expect(temporal).toEqual({
      setBy: 'TEMPORAL_ADDRESS',
      connection: { address: 'temporal.example:7233', apiKey: 'k', tls: true, metadata: { team: 'a' } },
      namespace: 'team',
    });
  });

  it('is the default profile of the user when that has an address', async () => {
    await profiles('[profile.default]\naddress = "profile.example:7233"\nnamespace = "team"\n');
    expect(readConfig(userEnvironment()).temporal).toEqual({
      setBy: 'the Temporal config profile "default"',
      connection: { address: 'profile.example:7233' },
      namespace: 'team',
    });
  });

  it('is the profile that TEMPORAL_PROFILE names in the file that TEMPORAL_CONFIG_FILE names', async () => {
    const file = await profiles('[profile.prod]\naddress = "prod.example:7233"\n');
    const env = { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'prod' };
    expect(readConfig(env).temporal).toMatchObject({
      setBy: 'the Temporal config profile "prod"',
      connection: { address: 'prod.example:7233' },
    });
  });

  it('is TEMPORAL_ADDRESS before the profile, whose other settings stay', async () => {
    await profiles('[profile.default]\naddress = "profile.example:7233"\nnamespace = "team"\n');
    const { temporal } = readConfig({ ...userEnvironment(), TEMPORAL_ADDRESS: 'other.example:7233' });
    expect(temporal).toMatchObject({
      setBy: 'TEMPORAL_ADDRESS',
      connection: { address: 'other.example:7233' },
      namespace: 'team',
    });
  });

  it('is none when a profile file holds other profiles only', async () => {
    await profiles('[profile.prod]\naddress = "prod.example:7233"\n');
    expect(readConfig(userEnvironment())).not.toHaveProperty('temporal');
  });
});

describe('a bad value', () => {
  it.each([
    [{ ENABLE_WRITE_TOOLS: 'yes' }, 'ENABLE_WRITE_TOOLS'],
    [{ HOLDFAST_MODEL: 'secret-value' }, 'HOLDFAST_MODEL_BASE_URL'],
    [{ HOLDFAST_MODEL_BASE_URL: 'http://secret-value' }, 'HOLDFAST_MODEL'],
    [{ HOLDFAST_MODEL_API_KEY: 'secret-value' }, 'HOLDFAST_MODEL_API_KEY'],
    [{ HOLDFAST_MODEL: 'm', HOLDFAST_MODEL_BASE_URL: 'secret-value' }, 'HOLDFAST_MODEL_BASE_URL'],
    [{ HOLDFAST_MODEL: 'm', HOLDFAST_MODEL_BASE_URL: 'file:///secret-value' }, 'HOLDFAST_MODEL_BASE_URL'],
    [
      { HOLDFAST_MODEL: 'm', HOLDFAST_MODEL_BASE_URL: 'http://u:secret-value@host' },
      'HOLDFAST_MODEL_BASE_URL',
    ],
    [{ TEMPORAL_ADDRESS: 'https://secret-value' }, 'TEMPORAL_ADDRESS'],
    [{ TEMPORAL_ADDRESS: 'u:secret-value@host' }, 'TEMPORAL_ADDRESS'],
    [{ TEMPORAL_ADDRESS: 'secret-value:port' }, 'TEMPORAL_ADDRESS'],
    [{ TEMPORAL_NAMESPACE: 'secret-value' }, 'TEMPORAL_ADDRESS'],
    [{ TEMPORAL_API_KEY: 'secret-value' }, 'TEMPORAL_ADDRESS'],
    [{ TEMPORAL_TLS: 'true' }, 'TEMPORAL_ADDRESS'],
    [{ TEMPORAL_CONFIG_FILE: '/secret-value.toml' }, 'TEMPORAL_CONFIG_FILE'],
    [{ TEMPORAL_ADDRESS: 'a:1', TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/secret-value.pem' }, 'ENOENT'],
  ])('is one line with code invalid_config that names the variable, never the value: %j', (env, named) => {
    const read = (): unknown => readConfig(env);
    expect(read).toThrow(expect.objectContaining({ code: 'invalid_config' }));
    expect(read).toThrow(named);
    expect(read).not.toThrow('secret-value');
    expect(read).not.toThrow('\n');
  });

  it('is a profile that does not exist', async () => {
    const file = await profiles('[profile.prod]\naddress = "prod.example:7233"\n');
    expect(() => readConfig({ TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'test' })).toThrow(
      /'test' not found/,
    );
  });

  it('is a config file that is no TOML, of which nothing is quoted', async () => {
    const file = await profiles('[profile.default]\napi_key = secret-value\n');
    const read = (): unknown => readConfig({ TEMPORAL_CONFIG_FILE: file });
    expect(read).toThrow('The Temporal configuration cannot be used');
    expect(read).not.toThrow('secret-value');
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createApi, type ApiDeps } from '../../src/api/create-api.js';
import type { IdentityProvider } from '../../src/api/identity-provider.js';
import { issueToken } from '../../src/api/issue-token.js';
import { JwtAuthority } from '../../src/api/jwt-authority.js';
import { providerKeys } from '../../src/api/provider-keys.js';
import { FileTokenAuthority } from '../../src/api/token-authority.js';
import type { Role } from '../../src/api/token-record.js';
import type { ApiLogLine } from '../../src/api/told.js';
import { HoldfastClient } from '../../src/client.js';
import { SHORT_RETRY } from '../../src/runs/short-retry.js';
import { inject } from 'vitest';

/** What the API answered. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Of a JSON body; undefined when there is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it asked for
  readonly body: any;
}

export interface Asking {
  /** Whose token goes along; null sends none. Default `all`, which has every role. */
  readonly as?: Role | 'all' | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, with the JSON type. */
  readonly raw?: string | Buffer;
}

/** The API before a client, its tokens in a state directory of their own. */
export interface TestApi {
  readonly api: FastifyInstance;
  readonly stateDir: string;
  readonly log: readonly ApiLogLine[];
  /** By role, and one with every role. The principal is named as the key. */
  readonly tokens: Readonly<Record<Role | 'all', string>>;
  readonly ask: (
    method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'HEAD' | 'OPTIONS' | 'QUERY',
    path: string,
    body?: unknown,
    asking?: Asking,
  ) => Promise<Answered>;
}

export interface TestApiDeps extends Partial<ApiDeps> {
  /** Whose JWTs are taken too. Default: nobody's. */
  readonly provider?: IdentityProvider;
}

/** Runs the body with an API of its own, closed afterwards. */
export async function withApi(
  client: HoldfastClient,
  body: (api: TestApi) => Promise<void>,
  { provider, ...deps }: TestApiDeps = {},
): Promise<void> {
  const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const tokens = {
    operator: await issueToken(stateDir, { name: 'operator', roles: ['operator'] }),
    approver: await issueToken(stateDir, { name: 'approver', roles: ['approver'] }),
    auditor: await issueToken(stateDir, { name: 'auditor', roles: ['auditor'] }),
    all: await issueToken(stateDir, { name: 'all', roles: ['operator', 'approver', 'auditor'] }),
  };
  const log: ApiLogLine[] = [];
  const own = new FileTokenAuthority(stateDir, deps.now);
  const api = createApi({
    client,
    tokens: provider ? new JwtAuthority(provider, providerKeys(provider, deps.now), own, deps.now) : own,
    log: (line) => log.push(line),
    ...deps,
  });
  const ask: TestApi['ask'] = async (method, path, sent, { as = 'all', headers = {}, raw } = {}) => {
    const payload = raw ?? (sent === undefined ? undefined : JSON.stringify(sent));
    const answer = await api.inject({
      method,
      url: `/v1${path}`,
      headers: {
        ...(as !== null && { authorization: `Bearer ${tokens[as]}` }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload !== undefined && { payload }),
    });
    const isJson = answer.payload !== '' && /json/.test(String(answer.headers['content-type']));
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.payload,
      body: isJson ? JSON.parse(answer.payload) : undefined,
    };
  };
  try {
    await body({ api, stateDir, log, tokens, ask });
  } finally {
    await api.close();
    await rm(stateDir, { recursive: true, force: true });
  }
}

/** An API before the server that all tests share, without an agent. */
export async function withBareApi(
  body: (api: TestApi) => Promise<void>,
  deps: TestApiDeps = {},
): Promise<void> {
  const client = await HoldfastClient.connect({
    connection: { address: inject('temporalAddress'), ...SHORT_RETRY },
  });
  try {
    await withApi(client, body, deps);
  } finally {
    await client.close();
  }
}

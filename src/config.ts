import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { HoldfastError } from './contract/error-codes.js';

/** Directory of the embedded server's database and of fetched binaries. Default `.holdfast` in the working directory. */
export const STATE_DIR = 'HOLDFAST_STATE_DIR';
/** `true` lets agents have edit and write (`surface:default`). Default `false`. */
export const ENABLE_WRITE_TOOLS = 'ENABLE_WRITE_TOOLS';
/** Base URL of an OpenAI-compatible server, such as `http://localhost:8080/v1`. Goes with HOLDFAST_MODEL. */
export const MODEL_BASE_URL = 'HOLDFAST_MODEL_BASE_URL';
/** The model's id on that server. Goes with HOLDFAST_MODEL_BASE_URL. */
export const MODEL = 'HOLDFAST_MODEL';
/** Sent as a bearer token. Omitted: no authorization header. */
const MODEL_API_KEY = 'HOLDFAST_MODEL_API_KEY';

/** A file with the private JWK of an approver's own key; without it, the state directory's key signs (`hitl:signed`). */
const SIGNING_KEY = 'HOLDFAST_SIGNING_KEY';

/** A JSON file with the webhooks of `holdfast worker`, secrets included (`hitl:notify`). */
const WEBHOOKS = 'HOLDFAST_WEBHOOKS';

/** A JSON file with the identity provider whose JWTs `holdfast serve` takes (`api:auth`). */
const IDENTITY_PROVIDER = 'HOLDFAST_IDENTITY_PROVIDER';

/** What both `Connection.connect` and `NativeConnection.connect` take. Holds secrets: never log it. */
export type TemporalConnection = Pick<NativeConnectionOptions, 'apiKey' | 'tls' | 'metadata'> & {
  /** `host` or `host:port`. */
  readonly address: string;
};

/** A Temporal server that the environment names. */
export interface ConfiguredTemporal {
  /** What named it, for messages: `TEMPORAL_ADDRESS` or a config profile. */
  readonly setBy: string;
  readonly connection: TemporalConnection;
  readonly namespace: string;
}

/** An OpenAI-compatible model server. `apiKey` is a secret: never log it. */
export interface ModelEndpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
}

export interface HoldfastConfig {
  /** Absent: the embedded server is used. */
  readonly temporal?: ConfiguredTemporal;
  /** Absolute. It need not exist yet. */
  readonly stateDir: string;
  /** Absolute. Absent: the state directory's key signs. */
  readonly signingKeyFile?: string;
  /** Absolute. Absent: no webhook is told of anything. */
  readonly webhooksFile?: string;
  /** Absolute. Absent: no JWT is taken. */
  readonly identityProviderFile?: string;
  /** The directories of PATH, in order. */
  readonly searchPath: readonly string[];
  readonly enableWriteTools: boolean;
  /** Absent: none is configured. */
  readonly modelEndpoint?: ModelEndpoint;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The configuration of this process; the only place that reads its environment. An empty variable counts as
 * absent. Throws a HoldfastError `invalid_config` that names the variable, never its value.
 */
export function readConfig(env: Environment = process.env, cwd: string = process.cwd()): HoldfastConfig {
  const temporal = readTemporal(env);
  const modelEndpoint = readModelEndpoint(env);
  return {
    ...(temporal && { temporal }),
    stateDir: resolve(cwd, env[STATE_DIR] || '.holdfast'),
    ...(env[SIGNING_KEY] && { signingKeyFile: resolve(cwd, env[SIGNING_KEY]) }),
    ...(env[WEBHOOKS] && { webhooksFile: resolve(cwd, env[WEBHOOKS]) }),
    ...(env[IDENTITY_PROVIDER] && { identityProviderFile: resolve(cwd, env[IDENTITY_PROVIDER]) }),
    searchPath: (env['PATH'] ?? '').split(delimiter).filter((dir) => dir !== ''),
    enableWriteTools: readFlag(env, ENABLE_WRITE_TOOLS),
    ...(modelEndpoint && { modelEndpoint }),
  };
}

function readTemporal(env: Environment): ConfiguredTemporal | undefined {
  const configFile = env['TEMPORAL_CONFIG_FILE'];
  if (configFile && !existsSync(configFile)) {
    throw invalid('TEMPORAL_CONFIG_FILE names a file that does not exist; correct or unset it.');
  }
  const { connectionOptions, namespace } = loadProfile(env);
  const { address, apiKey, tls, metadata } = connectionOptions;
  const present = namespace || apiKey || tls !== undefined || Object.keys(metadata ?? {}).length > 0;
  if (!address) {
    // Ignoring them would run a job meant for a team's cluster on the local server.
    if (present || env['TEMPORAL_PROFILE'] || configFile) {
      throw invalid(
        'Temporal settings are present (TEMPORAL_* variables or a config profile) but no address; set TEMPORAL_ADDRESS to host:port, or remove them to use the embedded server.',
      );
    }
    return undefined;
  }
  const profile = env['TEMPORAL_PROFILE'] || 'default';
  const setBy = env['TEMPORAL_ADDRESS'] ? 'TEMPORAL_ADDRESS' : `the Temporal config profile "${profile}"`;
  if (!/^(\[[0-9a-fA-F:.]+\]|[^\s:/@]+)(:\d{1,5})?$/.test(address)) {
    throw invalid(`The address set by ${setBy} must be host or host:port, without a scheme; correct it.`);
  }
  const connection = {
    address,
    ...(apiKey !== undefined && { apiKey }),
    ...(tls !== undefined && { tls }),
    ...(metadata !== undefined && { metadata }),
  };
  return { setBy, connection, namespace: namespace || 'default' };
}

function loadProfile(env: Environment): ClientConnectConfig {
  const overrideEnvVars: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // An empty TEMPORAL_GRPC_META_* has a meaning: it removes a header of the profile.
    if (value || (value === '' && name.startsWith('TEMPORAL_GRPC_META_'))) overrideEnvVars[name] = value;
  }
  try {
    return loadClientConnectConfig({ overrideEnvVars });
  } catch (cause) {
    throw invalid(`The Temporal configuration cannot be used: ${reasonOf(cause)}.`, { cause });
  }
}

/** System errors hold a path and TOML errors quote the file, so neither is repeated whole. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'it cannot be read';
  if ('code' in cause && typeof cause.code === 'string')
    return `a file it names cannot be read (${cause.code})`;
  return (cause.message.split('\n')[0] ?? '').replace(/[.:]$/, '');
}

function readModelEndpoint(env: Environment): ModelEndpoint | undefined {
  const baseUrl = env[MODEL_BASE_URL];
  const model = env[MODEL];
  const apiKey = env[MODEL_API_KEY];
  if (!baseUrl && !model) {
    if (apiKey)
      throw invalid(`${MODEL_API_KEY} is set alone; set ${MODEL_BASE_URL} and ${MODEL} too, or unset it.`);
    return undefined;
  }
  if (!baseUrl || !model) throw invalid(`${MODEL_BASE_URL} and ${MODEL} go together; set both or neither.`);
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid(`${MODEL_BASE_URL} must be an http or https URL.`);
  }
  if (url.username || url.password) {
    throw invalid(`${MODEL_BASE_URL} must not hold credentials; put the key into ${MODEL_API_KEY}.`);
  }
  return { baseUrl, model, ...(apiKey && { apiKey }) };
}

function readFlag(env: Environment, name: string): boolean {
  const value = env[name] || 'false';
  if (value !== 'true' && value !== 'false') throw invalid(`${name} must be true or false.`);
  return value === 'true';
}

function invalid(message: string, options?: ErrorOptions): HoldfastError {
  return new HoldfastError('invalid_config', message, options);
}

/** `true` shows stack traces and the Temporal SDK's own log on standard error. Default `false`. */
const DEBUG = 'HOLDFAST_DEBUG';

/** What the command line does for the person in front of it. */
export interface PersonalSettings {
  readonly debug: boolean;
  /** A command line, from VISUAL or else EDITOR. Absent: none is set. */
  readonly editor?: string;
}

/** Throws HoldfastError `invalid_config` for a HOLDFAST_DEBUG that is neither true nor false. */
export function readPersonalSettings(env: Environment = process.env): PersonalSettings {
  const editor = env['VISUAL'] || env['EDITOR'];
  return { debug: readFlag(env, DEBUG), ...(editor && { editor }) };
}

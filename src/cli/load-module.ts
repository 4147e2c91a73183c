import { stat } from 'node:fs/promises';
import { extname, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ERROR_CODES, HoldfastError, type ErrorCode } from '../contract/error-codes.js';

/** What a module exports, each value once, under the first of its names. */
export interface LoadedModule {
  /** As it is shown: relative to the working directory. */
  readonly name: string;
  readonly exported: readonly { readonly name: string; readonly value: unknown }[];
}

const NATIVE = ['.js', '.mjs'];
const TYPESCRIPT = ['.ts', '.mts'];

/**
 * Imports a file, TypeScript by stripping its types (they are not checked). Throws HoldfastError
 * `invalid_module`, or what the module threw when that is one.
 */
export async function loadModule(path: string): Promise<LoadedModule> {
  const file = resolve(path);
  const name = relative(process.cwd(), file);
  const extension = extname(file);
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw refuse(name, 'there is no such file');
  if (![...NATIVE, ...TYPESCRIPT].includes(extension)) {
    throw refuse(name, `a module is a file in ${[...NATIVE, ...TYPESCRIPT].join(', ')}`);
  }
  const exports = await importFile(file, NATIVE.includes(extension)).catch((cause: unknown) => {
    throw failed(name, cause);
  });
  const exported = [];
  const seen = new Set<unknown>();
  for (const [exportName, value] of Object.entries(exports)) {
    if (!seen.has(value)) exported.push({ name: exportName, value });
    seen.add(value);
  }
  return { name, exported };
}

async function importFile(file: string, native: boolean): Promise<object> {
  const url = pathToFileURL(file).href;
  if (native) {
    const exports: object = await import(url);
    return exports;
  }
  const { createJiti } = await import('jiti');
  // Its cache of compiled files would lie in the system's shared directory for temporary files.
  return createJiti(url, { fsCache: false, interopDefault: false }).import<object>(url);
}

function refuse(name: string, why: string, options?: ErrorOptions): HoldfastError {
  return new HoldfastError('invalid_module', `${name}: ${why}.`, options);
}

/** The library that the module imports may be another copy, so that the class says nothing. */
function failed(name: string, cause: unknown): HoldfastError {
  const text = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
  const line = text.replaceAll(process.cwd() + sep, '').replace(/\.$/, '');
  const code = codeOf(cause);
  if (code) return new HoldfastError(code, `${name}: ${line}.`, { cause });
  const hint = /^Cannot find (module|package) 'holdfast'/.test(text) ? NOT_INSTALLED : '';
  return refuse(name, `it cannot be loaded: ${line}${hint}`, { cause });
}

const NOT_INSTALLED = "; in the module's project, run npm install with the path of your clone of Holdfast";

function codeOf(cause: unknown): ErrorCode | undefined {
  if (!(cause instanceof Error && cause.name === 'HoldfastError' && 'code' in cause)) return undefined;
  const { code } = cause;
  return isErrorCode(code) ? code : undefined;
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code);
}

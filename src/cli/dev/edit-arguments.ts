import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { HoldfastError } from '../../contract/error-codes.js';
import { isJsonObject, type JsonObject } from '../../contract/json.js';
import { lossIn } from '../../registry/json-losses.js';
import type { Terminal } from '../terminal.js';

/** The edited arguments, or why there are none. */
export type Edited = { readonly args: JsonObject } | { readonly problem: string };

export interface EditOptions {
  readonly terminal: Terminal;
  /** A command line such as `code --wait`; split at blanks, run without a shell. Omitted: one line is read. */
  readonly editor: string | undefined;
  readonly signal: AbortSignal;
}

const UNCHANGED = { problem: 'Nothing was changed.' };

/** Lets a person change a call's arguments, in their editor or as one line of JSON. Undefined when the input ended. */
export async function editArguments(args: JsonObject, options: EditOptions): Promise<Edited | undefined> {
  const text = options.editor
    ? await throughEditor(args, options.editor)
    : await options.terminal.ask('  arguments, as one line of JSON: ', options.signal);
  if (text === undefined) return undefined;
  if (text.trim() === '') return UNCHANGED;
  const edited = argumentsIn(text);
  // Somebody who leaves the editor as it opened wants no edit; it would tell the model that there was one.
  return 'args' in edited && isDeepStrictEqual(edited.args, args) ? UNCHANGED : edited;
}

/** Arguments that a person wrote as JSON, read strictly. */
function argumentsIn(text: string): Edited {
  try {
    const value: unknown = JSON.parse(text);
    const loss = lossIn(text);
    if (loss !== undefined) return { problem: `This JSON cannot be taken as it is: ${loss}.` };
    return isJsonObject(value) ? { args: value } : { problem: 'The arguments must be a JSON object.' };
  } catch {
    return { problem: 'This is not JSON.' };
  }
}

/** Those of the option --args. Throws HoldfastError `invalid_config`. */
export function givenArguments(text: string): JsonObject {
  const read = argumentsIn(text);
  if ('problem' in read) throw new HoldfastError('invalid_config', `--args: ${read.problem}`);
  return read.args;
}

async function throughEditor(args: JsonObject, editor: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-edit-'));
  try {
    const file = join(directory, 'arguments.json');
    await writeFile(file, `${JSON.stringify(args, undefined, 2)}\n`, { mode: 0o600 });
    return (await ran(editor, file)) ? await readFile(file, 'utf8') : '';
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function ran(editor: string, file: string): Promise<boolean> {
  const [program = '', ...args] = editor.trim().split(/\s+/);
  return new Promise((resolve) => {
    spawn(program, [...args, file], { stdio: 'inherit' })
      .on('error', () => resolve(false))
      .on('exit', (code) => resolve(code === 0));
  });
}

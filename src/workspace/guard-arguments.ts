import type { JudgedPath } from '../contract/call.js';
import type { JsonObject, JsonValue } from '../contract/json.js';
import { mapPathArgs } from '../registry/path-args.js';
import { guardPath } from './guard.js';
import type { Access } from './protected-paths.js';
import type { GuardedPath, Workspace } from './workspace.js';

/** Most paths of one call, and most bytes of their canonical forms: a verdict is recorded as a whole. */
const MAX_PATHS = 1000;
const MAX_PATHS_BYTES = 256 * 1024;
/** Faults told of one call. */
const MAX_FAULTS = 5;

export type GuardedArguments =
  | {
      readonly allowed: true;
      /** A copy in which each path is a GuardedPath. */
      readonly args: JsonObject;
      readonly paths: readonly JudgedPath[];
    }
  | { readonly allowed: false; readonly code: 'path_refused'; readonly text: string };

/**
 * Judges every declared path of a call before any of it happens; one that fails refuses the whole call
 * (`path:all-or-nothing`). A declared value that is empty or no string is refused, never skipped
 * (`path:fail-closed`); a member that is absent is no path, since the schema, which was asked before, says
 * what is required. No other text is looked at (`path:free-text`). Does not throw, and opens nothing.
 *
 * @param access Omitted: `write`, which is judged more strictly (`path:protected`).
 */
export async function guardArguments(
  workspace: Workspace,
  pathArgs: readonly string[],
  args: JsonObject,
  access: Access = 'write',
): Promise<GuardedArguments> {
  const values = new Map<string, JsonValue>();
  const faults: string[] = [];
  mapPathArgs(args, pathArgs, (place, value, wanted) => {
    if (wanted === 'string') values.set(place, value);
    else faults.push(faultText(place, `is no ${wanted}.`));
    return value;
  });
  if (values.size > MAX_PATHS) return refuse([`A call names at most ${MAX_PATHS} paths. Split it.`]);

  const paths: JudgedPath[] = [];
  const guarded = new Map<string, GuardedPath>();
  for (const [argument, value] of values) {
    const verdict = await guardPath(workspace, value, access);
    if (!verdict.allowed) {
      faults.push(faultText(argument, verdict.fault));
      continue;
    }
    paths.push({ argument, relative: verdict.relative });
    guarded.set(argument, verdict.path);
  }
  if (faults.length > 0) return refuse(faults);
  if (Buffer.byteLength(JSON.stringify(paths)) > MAX_PATHS_BYTES) {
    return refuse(['The paths of the call are too long together. Split it.']);
  }
  return {
    allowed: true,
    args: mapPathArgs(args, pathArgs, (place, value) => guarded.get(place) ?? value),
    paths,
  };
}

function faultText(place: string, fault: string): string {
  return `The argument ${place} ${fault}`;
}

function refuse(faults: readonly string[]): GuardedArguments {
  const more = faults.length - MAX_FAULTS;
  const told = [
    ...faults.slice(0, MAX_FAULTS),
    ...(more > 0 ? [`${more} more arguments are refused too.`] : []),
  ];
  return { allowed: false, code: 'path_refused', text: `${told.join(' ')} Nothing was done.` };
}

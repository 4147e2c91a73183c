import { HoldfastError } from '../contract/error-codes.js';
import type { ManifestTool, SurfaceLists } from '../contract/manifest.js';
import { readTools, writeTools } from '../tools/builtin-tools.js';
import { didYouMean } from './near-name.js';

/** As much of a tool as the lists speak of. */
interface Offered {
  readonly name: string;
  readonly source: ManifestTool['source'];
}

/** Names that only built-in tools bear, whether they are at hand or not. */
export const BUILTIN_NAMES: readonly string[] = [...readTools, ...writeTools].map((tool) => tool.def.name);

/**
 * The tools that remain, in their order. Throws HoldfastError `unknown_tool_name` for a name in a list that no
 * tool has, with the near name (`surface:unknown-name`), or `surface_widened` for one that exists and is not
 * at hand, such as edit without enableWriteTools (`surface:narrow-only`).
 *
 * @param known names of tools that exist.
 */
export function resolveSurface<T extends Offered>(
  atHand: readonly T[],
  lists: SurfaceLists,
  known: readonly string[],
): readonly T[] {
  const { tools, excludeTools = [], noTools } = lists;
  const names = atHand.map((tool) => tool.name);
  checkNames([...(tools ?? []), ...excludeTools], [...names, ...known]);
  const absent = tools?.find((name) => !names.includes(name));
  if (absent !== undefined) {
    throw new HoldfastError('surface_widened', `The tool ${absent} is not enabled for this agent.`);
  }
  const surface = atHand.filter(
    ({ name, source }) =>
      (tools === undefined || tools.includes(name)) &&
      !excludeTools.includes(name) &&
      noTools !== 'all' &&
      !(noTools === 'builtin' && source === 'builtin'),
  );
  // The registry refuses the name; this holds whatever brought a tool here (`surface:no-shell`).
  if (surface.some(({ name }) => name === 'bash')) {
    throw new HoldfastError(
      'invalid_tool',
      'Tool bash: there is no shell, so no surface may hold this name.',
    );
  }
  return surface;
}

/** Throws HoldfastError `unknown_tool_name` for the first name that no tool has. */
export function checkNames(names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const shown = JSON.stringify(unknown).slice(0, 80);
  throw new HoldfastError('unknown_tool_name', `No tool is named ${shown}${didYouMean(unknown, known)}.`);
}

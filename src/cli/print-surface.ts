import type { RiskLevel } from '../contract/tool.js';
import { isFree } from '../policy/risk.js';
import { printableLine } from './printable.js';

/**
 * The effective surface, as rows for `columns` (`surface:print`).
 *
 * @param protectedPaths those of the agent; the default ones need no telling.
 */
export function surfaceRows(
  tools: readonly { readonly name: string; readonly riskLevel: RiskLevel }[],
  protectedPaths: readonly string[] = [],
): readonly (readonly string[])[] {
  const names = (free: boolean): string =>
    tools
      .filter((tool) => isFree(tool.riskLevel) === free)
      .map((tool) => tool.name)
      .join(', ') || 'none';
  return [
    ['Read-only tools', `${names(true)} (run without asking, inside the workspace)`],
    ['Write-enabled tools', `${names(false)} (a person is asked before each call)`],
    ['Shell', 'none'],
    ...(protectedPaths.length === 0
      ? []
      : [['Protected too', `${printableLine(protectedPaths.join(', '), 500)} (neither read nor written)`]]),
  ];
}

import type { ToolDef } from '../contract/tool.js';

/**
 * What an adopted tool cannot say of itself, and what it says wrongly: each field replaces the tool's own. Without
 * a riskLevel it is taken for `mutation`, with a warning at registration (`tool:foreign`). Name its path arguments:
 * only declared ones, and `path`, `source`, `destination` and `cwd` at the root, are judged.
 */
export type Adoption = Partial<Omit<ToolDef, 'parameters'>>;

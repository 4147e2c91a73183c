import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { defineTool, ToolOutcome, type Tool } from 'holdfast';
import { filesBeneath } from './files-beneath.js';

const MAX_HITS = 50;
/** Larger files are left out, bytes. */
const MAX_FILE_BYTES = 1024 * 1024;

export interface SearchDocsOptions {
  /** Relative to the workspace. Default `docs`. */
  readonly directory?: string;
  /** Default `.md` and `.txt`. */
  readonly endings?: readonly string[];
}

/**
 * Searches the documents of the workspace for a text (`surface:examples`). The query is text: it is compared with
 * lines, and never becomes part of a path or a pattern. Links are skipped, and each file is looked at again once
 * it is open, so that every hit comes from inside the directory. Whoever may run the tool may read all of it.
 */
export function searchDocs({ directory = 'docs', endings = ['.md', '.txt'] }: SearchDocsOptions = {}): Tool {
  return defineTool(
    {
      name: 'search_docs',
      description: `Search the documents for a text, without regard to case. Gives at most ${MAX_HITS} lines as "file:line: text".`,
      riskLevel: 'read_only',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', minLength: 2, maxLength: 100 } },
        required: ['query'],
        additionalProperties: false,
      },
      idempotent: true,
      parallel: true,
    },
    async ({ query }, { workspace, signal }) => {
      const text = query.trim();
      if (!/^.{2,100}$/su.test(text)) {
        return ToolOutcome.error('The query needs 2 to 100 characters, blanks at its ends not counted.');
      }
      const wanted = fold(text);
      const root = join(workspace.root, directory);
      if (!root.startsWith(`${workspace.root}/`) || (await realpath(root).catch(() => '')) !== root) {
        return ToolOutcome.error('There are no documents here. Go on without them, and tell the operator.');
      }
      const hits: string[] = [];
      for await (const path of filesBeneath(root, signal)) {
        if (!endings.some((ending) => path.endsWith(ending))) continue;
        const name = relative(workspace.root, join(root, path));
        for (const [index, line] of (await linesInside(join(root, path))).entries()) {
          if (!fold(line).includes(wanted)) continue;
          if (hits.length === MAX_HITS)
            return ToolOutcome.ok(`${hits.join('\n')}\n\n[More hits were left out.]`);
          hits.push(`${name}:${index + 1}: ${shown(line)}`);
        }
      }
      return ToolOutcome.ok(hits.length === 0 ? 'No hits.' : hits.join('\n'));
    },
  );
}

/** Two spellings of one text compare as the same. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** Without what could pass for another line. */
function shown(line: string): string {
  return (/^.{0,200}/su.exec(line)?.[0] ?? '').replaceAll(/\p{Cc}/gu, ' ');
}

/** None when it is no regular file, is too large, or a link was put on the way to it meanwhile. */
async function linesInside(path: string): Promise<string[]> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return [];
  try {
    const opened = await file.stat();
    if (!opened.isFile() || opened.size > MAX_FILE_BYTES) return [];
    const text = await file.readFile('utf8');
    const named = (await realpath(path)) === path ? await stat(path) : undefined;
    return named?.ino === opened.ino && named.dev === opened.dev ? text.split(/\r?\n/) : [];
  } catch {
    return [];
  } finally {
    await file.close();
  }
}

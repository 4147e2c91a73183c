import { parseSync, Visitor, type Node } from 'oxc-parser';

export interface Citation {
  readonly id: string;
  readonly file: string;
}

export interface CitedFile {
  /** Ids in brackets in the names of tests, expected failures left out: they prove nothing. */
  readonly citations: readonly Citation[];
  /** `it.skip`, `describe.only` and the like, each with its file. */
  readonly suspended: readonly string[];
}

const ID = /^([a-z]+:[a-z0-9-]+|H\d\d)$/;
const SUSPENDING = ['skip', 'skipIf', 'runIf', 'todo', 'only'];

/** Reads the names of the tests of one file, without running it. */
export function citedFile(file: string, text: string): CitedFile {
  const citations: Citation[] = [];
  const suspended: string[] = [];
  const { program } = parseSync(file, text);
  new Visitor({
    CallExpression({ callee, arguments: [name] }) {
      const chain = chainOf(callee);
      const base = chain[0] ?? '';
      if (!['it', 'test', 'describe'].includes(base)) return;
      if (!name || !['Literal', 'TemplateLiteral', 'BinaryExpression'].includes(name.type)) return;
      if (chain.some((part) => SUSPENDING.includes(part))) suspended.push(`${file}: ${chain.join('.')}`);
      if (base === 'describe' || chain.includes('fails')) return;
      for (const [, inBrackets = ''] of text.slice(name.start, name.end).matchAll(/\[([^[\]]*)\]/g)) {
        for (const id of inBrackets.split(/[\s,]+/)) if (ID.test(id)) citations.push({ id, file });
      }
    },
  }).visit(program);
  return { citations, suspended };
}

/** `it.skip.each(table)` is `it`, `skip`, `each`. */
function chainOf(callee: Node): string[] {
  if (callee.type === 'Identifier') return [callee.name];
  if (callee.type === 'MemberExpression') return [...chainOf(callee.object), ...chainOf(callee.property)];
  if (callee.type === 'CallExpression') return chainOf(callee.callee);
  return callee.type === 'TaggedTemplateExpression' ? chainOf(callee.tag) : [];
}

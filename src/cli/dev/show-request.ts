import type { ApprovalRequest } from '../../contract/decision.js';
import type { ShownPreview } from '../../contract/preview.js';
import { columns } from '../columns.js';
import { printable, printableLine } from '../printable.js';
import type { Colors } from '../terminal.js';

/**
 * What a person must see to decide: tool, risk, canonical paths, the model's words, the arguments in full, and
 * the preview when the tool gives one. Everything in it is untrusted and shown harmless.
 */
export function requestLines(request: ApprovalRequest, colors: Colors): readonly string[] {
  const { tool, label, riskLevel, args, paths, preview, modelText } = request;
  const title = label === undefined || label === tool ? tool : `${tool} (${printableLine(label, 60)})`;
  return [
    '',
    `${colors.bold(printable(title))} asks to run  ${colors.yellow(riskLevel)}`,
    ...columns(
      [
        ...paths.map(({ argument, relative }) => [argument, printable(relative)]),
        ...(modelText ? [['model', printableLine(modelText, 300)]] : []),
      ],
      '  ',
    ),
    ...indented(colors.dim('arguments')),
    ...indented(printable(JSON.stringify(args, undefined, 2)), '    '),
    ...(preview === undefined ? [] : previewLines(preview, colors)),
    '',
  ];
}

function previewLines({ kind, text }: ShownPreview, colors: Colors): readonly string[] {
  const lines = kind === 'diff' ? diffLines(text, colors) : indented(printable(text.trimEnd()), '    ');
  const title = kind === 'diff' ? 'change' : kind === 'text' ? 'preview' : 'no preview';
  return [...indented(colors.dim(title)), ...lines];
}

function diffLines(diff: string, colors: Colors): readonly string[] {
  return printable(diff.trimEnd())
    .split('\n')
    .map((line) => `    ${paintOf(line, colors)(line)}`);
}

function paintOf(line: string, colors: Colors): (text: string) => string {
  if (line.startsWith('+++') || line.startsWith('---')) return colors.bold;
  if (line.startsWith('+')) return colors.green;
  if (line.startsWith('-')) return colors.red;
  return line.startsWith('@@') ? colors.cyan : (text) => text;
}

function indented(text: string, by = '  '): readonly string[] {
  return text.split('\n').map((line) => by + line);
}

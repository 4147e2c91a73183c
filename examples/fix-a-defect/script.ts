import { ScriptedModel, type ModelRequest, type ScriptedAnswer } from 'holdfast';

const CHANGELOG = `# Changelog

## 1.4.1

- The quantity discount was missing.

## 1.4.0

- Shipping is free from a goods value of 50.00.
`;

/** A developer's work on this defect as a script, a wrong turn included: it looks outside the workspace once. */
export function scriptedDeveloper(): ScriptedModel {
  return new ScriptedModel(
    [
      {
        text: 'I look for the place that decides about the discount.',
        calls: [{ tool: 'grep', args: { pattern: 'quantity', path: 'src' } }],
      },
      {
        text: 'discountPercent compares with >, which leaves out the step itself. I read the whole file.',
        calls: [{ tool: 'read', args: { path: 'src/discount.js' } }],
      },
      {
        text: 'Its comment names a handbook beside this project. I check the rule there.',
        calls: [{ tool: 'read', args: { path: '../pricing-handbook/discounts.md' } }],
      },
      {
        text: 'That is outside my workspace. The rules stand in README.md too.',
        calls: [{ tool: 'read', args: { path: 'README.md' } }],
      },
      {
        text: 'From 10 pieces, so 10 counts. I change the comparison.',
        calls: [
          {
            tool: 'edit',
            args: {
              path: 'src/discount.js',
              edits: [{ oldText: 'quantity > pieces', newText: 'quantity >= pieces' }],
            },
          },
        ],
      },
      {
        text: 'And the line for the changelog.',
        calls: [{ tool: 'write', args: { path: 'CHANGELOG.md', content: CHANGELOG } }],
      },
      lastWords,
    ],
    { id: 'scripted-developer' },
  );
}

/** What it says at the end depends on what a person let it do. */
function lastWords({ messages }: ModelRequest): ScriptedAnswer {
  const did = (tool: string): boolean =>
    messages.some((message) => message.role === 'tool' && message.tool === tool && message.status === 'ok');
  const found =
    'src/discount.js compares with > where the rule says "from", so orders of exactly 10 or 50 pieces missed their discount.';
  const mended = did('edit')
    ? 'It compares with >= now.'
    : 'My change was not made, so the defect is still there.';
  const noted = did('write') ? 'CHANGELOG.md says so.' : 'CHANGELOG.md is as it was.';
  return { text: `${found} ${mended} ${noted}` };
}

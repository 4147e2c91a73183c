import { diffView } from './diff.js';
import { h } from './dom.js';
import { previewMark } from './preview-mark.js';
import { visible, visibleJson } from './visible.js';
import { callNumber, runAddress, timeLeft, when } from './words.js';

/** What would run, which stays as it is. `state` holds what may become another meanwhile. */
export function requestCall(request, context, state) {
  const { runId, call, tool, label, riskLevel, args, paths, preview, modelText } = request;
  return [
    h('h1', {}, visible(tool), ' asks to run ', h('span', { class: `risk ${riskLevel}` }, riskLevel)),
    label !== undefined && h('p', {}, visible(label)),
    h('p', {}, `Call ${callNumber(call)} of run `, h('a', { href: runAddress(runId) }, visible(runId)), '.'),
    state,
    section('Paths', paths.length > 0 && pathList(paths)),
    section(preview?.kind === 'diff' ? 'Change' : 'Preview', previewOf(request, context)),
    section('Arguments', visibleJson(args, 'Arguments')),
    section(
      'What the model says',
      modelText !== '' && h('blockquote', {}, visible(modelText, { lines: true, prose: true })),
    ),
  ];
}

/** Since when and until when it waits, and who has approved so far. */
export function requestState({ requestedAt, expiresAt, escalatedAt, quorum = 1, approvals = [], edited }) {
  return [
    h('p', {}, `Asked ${when(requestedAt)}, `, timeLeft(expiresAt), '.'),
    escalatedAt !== undefined &&
      h('p', { class: 'warning' }, `Asked again ${when(escalatedAt)}: nobody had decided.`),
    quorum > 1 && h('p', { class: 'quorum' }, approvalsText(quorum, approvals)),
    edited &&
      h('p', { class: 'warning' }, 'A person has changed the arguments: what stands here is what runs.'),
  ];
}

function approvalsText(quorum, approvals) {
  const missing = quorum - approvals.length;
  const by = approvals.map(({ approver }) => approver).join(', ');
  const names = approvals.length === 0 ? 'nobody has approved yet' : ['approved by ', visible(by)];
  return [`Needs ${quorum} approvals, ${missing} more: `, names, '.'];
}

function pathList(paths) {
  return h(
    'dl',
    {},
    paths.flatMap(({ argument, relative }) => [
      h('dt', {}, visible(argument)),
      h('dd', {}, visible(relative)),
    ]),
  );
}

function previewOf(request, context) {
  const { preview } = request;
  if (preview === undefined) return undefined;
  const mark = previewMark(request, context);
  if (preview.kind === 'diff') return [mark, diffView(preview.text)];
  const attributes = { tabindex: '0', role: 'region', 'aria-label': 'Preview' };
  const text = h('pre', attributes, visible(preview.text, { lines: true }));
  return [preview.kind === 'failed' ? h('p', { class: 'warning' }, 'There is no preview:') : mark, text];
}

function section(title, content) {
  return content ? h('section', {}, h('h2', {}, title), content) : undefined;
}

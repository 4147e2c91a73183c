import { ask, follow, Refusal } from './api.js';
import { decisionForm } from './decision-form.js';
import { diffView } from './diff.js';
import { h, show } from './dom.js';
import { previewMark } from './preview-mark.js';
import { visible, visibleJson } from './visible.js';
import { callNumber, runAddress, timeLeft, when } from './words.js';

/** Codes of a request about which nothing can be decided any more. */
const OVER = ['request_decided', 'request_expired', 'request_withdrawn', 'unknown_request', 'run_closed'];

/** One request: exactly what would run, and the decision. */
export async function requestView(main, { runId, requestKey, signal, notice }) {
  const path = `/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(requestKey)}`;
  let shown = '';
  const refresh = async () => {
    try {
      const { body: request } = await ask(path, { signal });
      const text = JSON.stringify(request);
      if (text === shown) return;
      if (shown !== '') notice('The request has changed: look at it again before you decide.');
      shown = text;
      draw(main, request, { notice, path, refresh, signal });
    } catch (error) {
      if (!(error instanceof Refusal && OVER.includes(error.code))) throw error;
      over(main, runId, error.message);
    }
  };
  await refresh();
  follow(runId, {
    signal,
    onEvent: ({ type }) => {
      if (shown !== '' && (type.startsWith('approval') || type === 'run_end'))
        refresh().catch(() => undefined);
    },
  }).catch(() => undefined);
}

function over(main, runId, text) {
  show(
    main,
    h('h1', {}, 'Nothing to decide here any more'),
    h('p', { class: 'over', role: 'alert' }, visible(text)),
    h('p', {}, h('a', { href: runAddress(runId) }, 'The run'), ' · ', h('a', { href: '#/' }, 'The inbox')),
  );
}

function draw(main, request, context) {
  const { runId, call, tool, label, riskLevel, args, paths, preview, modelText, requestedAt, expiresAt } =
    request;
  const { quorum = 1, approvals = [], edited, escalatedAt } = request;
  show(
    main,
    h('h1', {}, visible(tool), ' asks to run ', h('span', { class: `risk ${riskLevel}` }, riskLevel)),
    label !== undefined && h('p', {}, visible(label)),
    h(
      'p',
      {},
      `Call ${callNumber(call)} of run `,
      h('a', { href: runAddress(runId) }, visible(runId)),
      `. Asked ${when(requestedAt)}, ${timeLeft(expiresAt)}.`,
    ),
    escalatedAt !== undefined &&
      h('p', { class: 'warning' }, `Asked again ${when(escalatedAt)}: nobody had decided.`),
    quorum > 1 && h('p', { class: 'quorum' }, approvalsText(quorum, approvals)),
    edited &&
      h('p', { class: 'warning' }, 'A person has changed the arguments: what stands here is what runs.'),
    section('Paths', paths.length > 0 && pathList(paths)),
    section(preview?.kind === 'diff' ? 'Change' : 'Preview', previewOf(request, context)),
    section('Arguments', visibleJson(args)),
    section(
      'What the model says',
      modelText !== '' && h('blockquote', {}, visible(modelText, { lines: true })),
    ),
    decisionForm(request, context),
  );
}

function approvalsText(quorum, approvals) {
  const missing = quorum - approvals.length;
  const by = approvals.map(({ approver }) => approver).join(', ');
  const names = approvals.length === 0 ? 'nobody has approved yet' : ['approved by ', ...visible(by)];
  return [`Needs ${quorum} approvals, ${missing} more: `, ...[names].flat(), '.'];
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
  const text = h('pre', { tabindex: '0' }, visible(preview.text, { lines: true }));
  return [preview.kind === 'failed' ? h('p', { class: 'warning' }, 'There is no preview:') : mark, text];
}

function section(title, content) {
  return content ? h('section', {}, h('h2', {}, title), content) : undefined;
}

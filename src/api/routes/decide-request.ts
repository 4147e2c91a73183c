import { randomUUID } from 'node:crypto';
import { decideOrSend } from '../../runs/decide-or-send.js';
import { checkRun } from '../../runs/find-run.js';
import { claimsAt, DECISION_BODY, lookAtDecision, type DecisionBody } from '../decision-body.js';
import { ApiRefusal } from '../problem.js';
import { route } from '../route.js';
import { REQUEST_PARAMS, type RequestParams } from '../run-address.js';

const ID = { type: 'string', description: 'That of the decision; absent when a signed one names none.' };

const DECIDED = {
  type: 'object',
  required: ['counted', 'requestKey', 'decision'],
  properties: {
    counted: { const: true },
    requestKey: { type: 'string' },
    decision: { enum: ['approve', 'deny', 'edit'] },
    decisionId: ID,
    remaining: {
      type: 'integer',
      minimum: 1,
      description: 'How many more approvers must approve before the call runs. Absent: none.',
    },
  },
};

/**
 * Decides as whoever the token belongs to: the server's key attests it. What was signed elsewhere goes on unchanged.
 * The run judges both, in its history (`hitl:revalidated`, `hitl:signed`).
 */
export const decideRequestRoute = route<RequestParams, unknown, DecisionBody>({
  method: 'POST',
  path: '/runs/:id/approvals/:requestKey/decision',
  operationId: 'decideRequest',
  summary:
    'Decide. tool, argsDigest and schemaDigest are those that the approver saw, or jws holds a decision signed elsewhere. The same decisionId counts once.',
  roles: ['approver'],
  params: REQUEST_PARAMS,
  body: { name: 'Decision', fault: 'malformed_decision', look: lookAtDecision, schema: DECISION_BODY },
  answers: {
    200: { description: 'It counts.', schema: DECIDED },
    202: {
      description: 'No worker answers. It waits in the run, and is judged once a worker is back.',
      schema: {
        type: 'object',
        required: ['counted', 'requestKey'],
        properties: { counted: { type: 'null' }, requestKey: { type: 'string' }, decisionId: ID },
      },
    },
  },
  refusals: [
    'unknown_run',
    'malformed_decision',
    'signature_invalid',
    'key_unknown',
    'key_revoked',
    'not_authorized',
    'already_approved',
    'wrong_run',
    'cwd_not_permitted',
    'decision_too_large',
    'too_many_decisions',
    'decision_not_judged',
    'decision_id_reused',
    'unknown_request',
    'request_decided',
    'request_expired',
    'request_withdrawn',
    'digest_mismatch',
    'edit_invalid',
    'edit_refused',
    'grant_not_allowed',
    'run_closed',
  ],
  handle: async ({ params: { id, requestKey }, body, principal }, { client, answerMs }) => {
    await checkRun(client, id);
    const decision =
      'jws' in body
        ? body
        : { decisionId: randomUUID(), ...body, requestKey, runId: id, approver: principal.name };
    const { decisionId: named } = 'jws' in decision ? claimsAt(decision, id, requestKey) : decision;
    const decisionId = typeof named === 'string' && { decisionId: named };
    const answer = await decideOrSend(client, id, decision, { limitMs: answerMs });
    if (answer === 'sent') return { status: 202, body: { counted: null, requestKey, ...decisionId } };
    if (answer.counted) return { status: 200, body: { ...answer, ...decisionId } };
    const { code, text, at = '' } = answer;
    const place = PLACES[code];
    throw new ApiRefusal(
      code,
      text,
      place === undefined
        ? {}
        : { errors: [{ in: 'body', detail: `${place}: ${text}`, pointer: `#/${place}${at}` }] },
    );
  },
});

/** Where in the body the fault of a decision is that a run refused. */
const PLACES: Readonly<Partial<Record<string, string>>> = {
  edit_invalid: 'args',
  edit_refused: 'args',
  grant_not_allowed: 'scope',
};

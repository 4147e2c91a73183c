import { askControl, CONTROL_ANSWERS, CONTROL_REFUSALS } from '../ask-control.js';
import { route } from '../route.js';
import { RUN_PARAMS, type RunParams } from '../run-address.js';

export const messageRunRoute = route<RunParams, unknown, { readonly text: string }>({
  method: 'POST',
  path: '/runs/:id/messages',
  operationId: 'messageRun',
  summary: 'Tell the model something after the tools of the turn at work. At most 64 KiB.',
  roles: ['operator'],
  params: RUN_PARAMS,
  body: {
    name: 'Message',
    fault: 'malformed_control',
    schema: {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string', pattern: '\\S' } },
      additionalProperties: false,
    },
  },
  answers: CONTROL_ANSWERS,
  refusals: CONTROL_REFUSALS,
  handle: ({ params: { id }, body, principal }, deps) =>
    askControl(id, deps, (client) => client.message(id, body.text, principal.name)),
});

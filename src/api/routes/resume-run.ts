import { askControl, CONTROL_ANSWERS, CONTROL_REFUSALS } from '../ask-control.js';
import { route } from '../route.js';
import { RUN_PARAMS, type RunParams } from '../run-address.js';

export const resumeRunRoute = route<RunParams>({
  method: 'POST',
  path: '/runs/:id/resume',
  operationId: 'resumeRun',
  summary: 'Let a paused run go on.',
  roles: ['operator'],
  params: RUN_PARAMS,
  answers: CONTROL_ANSWERS,
  refusals: CONTROL_REFUSALS,
  handle: ({ params: { id }, principal }, deps) =>
    askControl(id, deps, (client) => client.resume(id, principal.name)),
});

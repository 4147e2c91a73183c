import { askControl, CONTROL_ANSWERS, CONTROL_REFUSALS } from '../ask-control.js';
import { route } from '../route.js';
import { RUN_PARAMS, type RunParams } from '../run-address.js';

export const pauseRunRoute = route<RunParams>({
  method: 'POST',
  path: '/runs/:id/pause',
  operationId: 'pauseRun',
  summary: 'Pause a run before its next model call; what was asked for goes on.',
  roles: ['operator'],
  params: RUN_PARAMS,
  answers: CONTROL_ANSWERS,
  refusals: CONTROL_REFUSALS,
  handle: ({ params: { id }, principal }, deps) =>
    askControl(id, deps, (client) => client.pause(id, principal.name)),
});

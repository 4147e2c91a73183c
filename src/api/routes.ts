import type { Route } from './route.js';
import { cancelRunRoute } from './routes/cancel-run.js';
import { comparePreviewRoute } from './routes/compare-preview.js';
import { decideRequestRoute } from './routes/decide-request.js';
import { describeApiRoute } from './routes/describe-api.js';
import { extendBudgetRoute } from './routes/extend-budget.js';
import { followRunRoute } from './routes/follow-run.js';
import { healthRoute } from './routes/health.js';
import { listApprovalsRoute } from './routes/list-approvals.js';
import { listRunsRoute } from './routes/list-runs.js';
import { listWaitingRoute } from './routes/list-waiting.js';
import { messageRunRoute } from './routes/message-run.js';
import { pauseRunRoute } from './routes/pause-run.js';
import { resumeRunRoute } from './routes/resume-run.js';
import { revokeGrantRoute } from './routes/revoke-grant.js';
import { showApprovalRoute } from './routes/show-approval.js';
import { showRunRoute } from './routes/show-run.js';
import { startRunRoute } from './routes/start-run.js';

/** Every operation of the API, in the order of its description. */
export const ROUTES: readonly Route[] = [
  startRunRoute,
  listRunsRoute,
  showRunRoute,
  followRunRoute,
  messageRunRoute,
  pauseRunRoute,
  resumeRunRoute,
  cancelRunRoute,
  extendBudgetRoute,
  revokeGrantRoute,
  listWaitingRoute,
  listApprovalsRoute,
  showApprovalRoute,
  comparePreviewRoute,
  decideRequestRoute,
  healthRoute,
  describeApiRoute(() => ROUTES),
];

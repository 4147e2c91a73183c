// Every exported function here is a startable workflow type; nothing else is exported.
export { agentRun } from './agent-run.js';

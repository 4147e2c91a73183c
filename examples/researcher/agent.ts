import { configuredModel, defineAgent } from '../../src/index.js';

/** Reads and searches what is mounted at /workspace, and cannot change it. The worker of docker-compose.yml runs it. */
export default defineAgent({
  name: 'researcher',
  instructions:
    'You answer questions about the files of this workspace. Search before you read, read before you answer, ' +
    'and name the files that your answer rests on.',
  model: configuredModel(),
  workspace: '/workspace',
});

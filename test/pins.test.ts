import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as library from '../src/index.js';

/** What others import: a change here is a change for them, and is made on purpose. */
const VALUES = [
  'ERROR_CODES',
  'FileTranscriptStore',
  'HoldfastClient',
  'HoldfastError',
  'KeyDirectory',
  'ModelFailure',
  'PreconditionChangedError',
  'RetryableToolError',
  'ScriptedModel',
  'ToolOutcome',
  'aiSdkModel',
  'aiSdkTool',
  'configuredModel',
  'createWorker',
  'decisionFor',
  'defineAgent',
  'defineTool',
  'openAiCompatibleModel',
  'piTool',
];
const TYPES = [
  ...[
    'Adoption',
    'Agent',
    'AgentOptions',
    'AiSdkTool',
    'ApprovalRequest',
    'BudgetExtension',
    'ClientOptions',
    'ControlAnswer',
    'Decision',
  ],
  ...['DecisionAnswer', 'DecisionDraft', 'ErrorCode', 'HoldfastWorker', 'Model', 'ModelRequest'],
  ...['ModelResponse', 'PiTool', 'RiskLevel', 'RunResult', 'RunStatus', 'ScriptedAnswer', 'ScriptedCall'],
  ...['ScriptedTurn', 'StartRequest', 'Tool', 'ToolContext', 'ToolDef', 'ToolHandler', 'ToolLogger'],
  ...['ToolResult', 'TranscriptStore', 'WorkerOptions'],
  ...['Preview', 'PreviewContext', 'ToolPreview'],
  ...['EventCall', 'FollowOptions', 'RunEvent'],
  ...[
    'ApprovalPolicy',
    'ApproverNames',
    'ApproverRule',
    'AutoDenyRule',
    'CountedApproval',
    'DecisionSigner',
    'SignatureKind',
    'SignedDecision',
  ],
  ...['TrustedKey', 'TrustedKeys', 'Webhook'],
];

describe('the library', () => {
  it('exports exactly these values', () => {
    expect(Object.keys(library).toSorted()).toEqual(VALUES.toSorted());
  });

  it('exports exactly these types besides', () => {
    expect(exportedNames('src/index.ts')).toEqual([...VALUES, ...TYPES].toSorted());
  });

  it('can be imported by exactly these paths', () => {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object };
    expect(Object.keys(exports)).toEqual(['.', './payload-converter', './page/*', './workflow-bundle']);
  });
});

/** Every name in the braces of `export … from`, of which the module consists. */
function exportedNames(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8').replaceAll(/\/\/.*/g, '');
  expect(text.replaceAll(/export (type )?\{[^}]*\} from '[^']*';/g, '').trim()).toBe('');
  return [...text.matchAll(/\{([^}]*)\}/g)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.replace(/^\s*(type\s)?\s*/, '').trim())
    .filter((name) => name !== '')
    .toSorted();
}

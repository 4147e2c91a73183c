import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, inject, it, vi } from 'vitest';
import { decisionFor } from '../../src/client.js';
import { findPythonWithPip } from '../../src/dev/pinned-wheel.js';
import { withAgent } from '../harness/agent.js';
import { failedWorkflowTasks, markers, scheduled } from '../harness/history.js';
import { testPlaces } from '../harness/places.js';
import { effectTool } from '../harness/tools.js';

/** Fetched once, and kept beside the other programs of the tests. */
const SDK = 'temporalio==1.35.0';
const PROGRAM = fileURLToPath(new URL('./send-signal.py', import.meta.url));

async function python(): Promise<{ readonly program: string; readonly path: string }> {
  const { searchPath, binDir } = testPlaces();
  const program = await findPythonWithPip(searchPath);
  if (program === undefined) throw new Error('Install Python 3 with pip: this test needs another SDK.');
  const path = join(binDir, SDK.replace('==', '-'));
  if (existsSync(path)) return { program, path };
  const fresh = `${path}.${process.pid}`;
  await mkdir(binDir, { recursive: true });
  await promisify(execFile)(program, ['-m', 'pip', 'install', '--quiet', '--target', fresh, SDK]);
  await rename(fresh, path).catch(() => rm(fresh, { recursive: true }));
  return { program, path };
}

async function sendFromPython(runId: string, payload: object): Promise<void> {
  const { program, path } = await python();
  const child = spawn(program, [PROGRAM, inject('temporalAddress'), runId, 'approval'], {
    env: { ...process.env, PYTHONPATH: path },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  child.stdin.end(JSON.stringify(payload));
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(0);
}

describe('a Python client of Temporal', () => {
  it(
    'decides by a signal with what was signed, and with nothing else [hitl:signed] [hitl:signal]',
    { timeout: 300_000 },
    async () => {
      const script = [{ calls: [{ tool: 'effect', args: { line: 'x' } }] }, { text: 'done' }];
      await withAgent({ customTools: [effectTool('effect', 'mutation')], script }, async (agent) => {
        const runId = await agent.start();
        const decision = decisionFor(await agent.request(runId), { decision: 'approve', approver: 'ann' });
        await sendFromPython(runId, decision);
        await vi.waitFor(
          async () => expect(markers(await agent.history(runId), 'validateApproval')).toHaveLength(1),
          { timeout: 30_000, interval: 100 },
        );
        expect(await agent.client.pending(runId)).toHaveLength(1);

        await sendFromPython(runId, await agent.client.signed(decision));
        await agent.client.result(runId);
        const events = await agent.history(runId);
        expect(markers(events, 'validateApproval').map(({ result }) => result)).toMatchObject([
          { accepted: false, code: 'malformed_decision' },
          { accepted: true, decision },
        ]);
        expect(scheduled(events, 'executeTool')).toHaveLength(1);
        expect(failedWorkflowTasks(events)).toBe(0);
      });
    },
  );
});

import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it, vi } from 'vitest';
import { followRun } from '../../src/cli/follow-run.js';
import { Interrupts } from '../../src/cli/interrupts.js';
import { retryLine } from '../../src/cli/retry-notices.js';
import { ModelFailure } from '../../src/models/model.js';
import { withAgent } from '../harness/agent.js';
import { withProxy } from '../harness/proxy.js';
import { withClient } from '../harness/temporal.js';
import { holdfast } from './in-process.js';
import { person } from './person.js';

describe('a run that is followed', () => {
  it('says while the model fails that it does, why, and which attempt comes next [api:cli] [model:failures]', async () => {
    let mend: (() => void) | undefined;
    const mended = new Promise<void>((resolve) => (mend = resolve));
    let attempts = 0;
    const turn = async () => {
      attempts += 1;
      if (attempts === 1) return new ModelFailure('The provider is busy.', true);
      await mended;
      return { text: 'At last.' };
    };
    await withAgent({ script: [turn] }, async (agent) => {
      const runId = await agent.start();
      const { terminal, shown, complaints } = person([]);
      const context = { terminal, interrupts: new Interrupts(() => undefined), settings: { debug: false } };
      const following = followRun(agent.client, runId, context, { json: false });
      await vi.waitFor(
        () =>
          expect(complaints()).toMatch(
            /^model call failing, attempt 2 of 4, (next in [\d.]+ m?s|trying now): The provider is busy\.\n$/,
          ),
        { timeout: 30_000 },
      );
      mend?.();
      expect(await following).toBe('ok');
      expect(shown()).toMatch(/The model has finished\.\n\nAt last\.\n\nRun done after /);
    });
  });

  it.each([
    ['a model call', 'callModel', 'model call failing, attempt 3 of 4, next in 4.0 s: Busy.'],
    [
      'a tool, whose text may hold what it read',
      'executeTool',
      'tool failing, attempt 3 of 4, next in 4.0 s: tool_error',
    ],
  ])('has a line for %s [events:no-args]', (_what, name, line) => {
    const pending = {
      activityId: '1',
      attempt: 3,
      maximumAttempts: 4,
      activityType: { name },
      scheduledTime: { seconds: 10 },
      lastFailure: { message: 'Busy.', applicationFailureInfo: { type: 'holdfast.tool_error' } },
    } as unknown as Parameters<typeof retryLine>[0];
    expect(retryLine(pending, 6_000)).toBe(line);
    expect(retryLine({ ...pending, attempt: 1 }, 6_000)).toBeUndefined();
  });
});

describe('a server that goes away while a command runs', () => {
  it(
    'ends it with one clear line and 4, and changes nothing in the run [api:cli]',
    { timeout: 180_000 },
    async () => {
      // Nobody works for this agent, so that the run waits for ever.
      const runId = (
        await holdfast(['run', `nobody-${randomUUID().slice(0, 8)}`, 'x', '--queue'])
      ).shown.trim();
      await withClient(async (client) => {
        const handle = client.workflow.getHandle(runId);
        await withProxy(inject('temporalAddress'), async ({ address, cut }) => {
          const { terminal, complaints, shown } = person([]);
          vi.stubEnv('TEMPORAL_ADDRESS', address);
          const { runCommandLine } = await import('../../src/cli/command-line.js');
          const context = {
            terminal,
            interrupts: new Interrupts(() => undefined),
            settings: { debug: false },
            reconnectMs: 0,
          };
          const following = runCommandLine(['follow', runId, '--json'], context);
          await vi.waitFor(() => expect(shown()).toContain('"type":"run_start"'), { timeout: 30_000 });
          const cancelling = holdfast(['cancel', runId, '--wait'], { address });
          await vi.waitFor(
            async () => {
              const { events } = await handle.fetchHistory();
              expect(events?.some((event) => event.workflowExecutionCancelRequestedEventAttributes)).toBe(
                true,
              );
            },
            { timeout: 30_000 },
          );
          cut();
          const gone =
            'temporal_unavailable: The Temporal server does not answer any more. Try again once it runs.\n';
          const { code, complaints: cancelled } = await cancelling;
          expect([code, cancelled]).toEqual([4, gone]);
          expect(await following).toBe('environment');
          expect(complaints()).toBe(
            `The Temporal server does not answer; trying again for a minute.\n${gone}`,
          );
        });
        expect((await handle.describe()).status.name).toBe('RUNNING');
        await handle.terminate();
      });
    },
  );
});

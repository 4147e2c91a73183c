import {
  ApplicationFailure,
  CancelledFailure,
  defaultFailureConverter,
  defaultPayloadConverter,
} from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { asActivityFailure, LONGEST_RETRY_AFTER_MS } from '../../activities/failures.js';
import { HoldfastError } from '../../src/contract/error-codes.js';
import { ModelFailure } from '../../src/models/model.js';

const SECRET = '/home/op/key-5f3a9c';

/** As a history holds it. */
const recorded = (error: unknown): string =>
  JSON.stringify(defaultFailureConverter.errorToFailure(asActivityFailure(error), defaultPayloadConverter));

const systemError = Object.assign(new Error(`ENOSPC: no space left on device, open '${SECRET}'`), {
  code: 'ENOSPC',
  syscall: 'open',
  path: SECRET,
});

describe('the failure of an activity', () => {
  it.each<[string, unknown, object]>([
    [
      'a model that may answer later',
      new ModelFailure('busy', true, 1500),
      { type: 'holdfast.model_failed', message: 'busy', nonRetryable: false, nextRetryDelay: 1500 },
    ],
    [
      'a model that may answer later and names no time',
      new ModelFailure('busy', true),
      { type: 'holdfast.model_failed', nonRetryable: false, nextRetryDelay: undefined },
    ],
    [
      'a model that asks for an hour',
      new ModelFailure('busy', true, 3_600_000),
      { nonRetryable: false, nextRetryDelay: LONGEST_RETRY_AFTER_MS },
    ],
    [
      'a model that refused',
      new ModelFailure('no', false),
      { type: 'holdfast.model_failed', nonRetryable: true },
    ],
    [
      'a script that ended',
      new ModelFailure('end', false, undefined, 'model_script_ended'),
      { type: 'holdfast.model_script_ended', nonRetryable: true },
    ],
    [
      'an error of the table',
      new HoldfastError('transcript_damaged', 'It is gone.', { cause: new Error(SECRET) }),
      { type: 'holdfast.transcript_damaged', message: 'It is gone.', nonRetryable: true },
    ],
    [
      'a fault of the machine',
      systemError,
      {
        type: 'holdfast.worker_fault',
        message: expect.stringContaining('open with ENOSPC'),
        nonRetryable: false,
      },
    ],
    [
      'a defect',
      new TypeError(SECRET),
      {
        type: 'holdfast.internal_error',
        message: expect.stringMatching(/TypeError at failures\.test\.ts:\d+\.$/),
        nonRetryable: true,
      },
    ],
    [
      'a thrown text',
      SECRET,
      { type: 'holdfast.internal_error', message: expect.stringContaining('no Error'), nonRetryable: true },
    ],
    ['nothing', undefined, { type: 'holdfast.internal_error', nonRetryable: true }],
    [
      'an error with neither a name nor a stack',
      Object.assign(new Error(SECRET), { name: SECRET, stack: undefined }),
      { message: expect.stringContaining('something at an unknown place') },
    ],
  ])(
    'is that of %s, and the history holds no path, stack or cause of it [model:failures] [model:clean]',
    (_, error, expected) => {
      expect(asActivityFailure(error)).toMatchObject(expected);
      expect(recorded(error)).not.toContain(SECRET);
      expect(recorded(error)).not.toContain(process.cwd());
      expect(recorded(error)).not.toContain('"cause"');
    },
  );

  it.each([
    ['a cancellation', new CancelledFailure('CANCELLED')],
    ['a failure made for Temporal', ApplicationFailure.nonRetryable('x', 'holdfast.unknown_agent')],
  ])('passes %s as it is [run:control]', (_, error) => {
    expect(asActivityFailure(error)).toBe(error);
  });
});

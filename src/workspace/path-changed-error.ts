import { HoldfastError } from '../contract/error-codes.js';

/**
 * A canonical path leads elsewhere than when the guard judged it: a link was swapped in, or a directory was
 * replaced (`path:at-use`). Nothing was read or written. Carries the code `path_changed`.
 */
export class PathChangedError extends HoldfastError {
  constructor(options?: ErrorOptions) {
    super(
      'path_changed',
      'A path leads elsewhere than when the call was checked, so nothing was done. Look at the workspace again before you retry.',
      options,
    );
  }
}

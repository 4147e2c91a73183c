import { HoldfastError } from '../contract/error-codes.js';

/**
 * What an approver saw has changed since, so nothing was done (`hitl:preview`). Carries the code
 * `precondition_changed`.
 */
export class PreconditionChangedError extends HoldfastError {
  constructor() {
    super(
      'precondition_changed',
      'What the approver saw has changed since, so nothing was done. Look at it again, then ask anew.',
    );
  }
}

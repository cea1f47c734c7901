import { DowserError } from '../model/errors.ts';

/**
 * A model or a library that is missing or does not load. Retrying soon is useless: somebody has to fix it first. So the
 * breaker opens at once, for its longest pause.
 */
export class LoadFailure extends DowserError {
  constructor(message: string, options: { readonly hint?: string | undefined; readonly cause?: unknown } = {}) {
    const { hint, cause } = options;
    super('EMBEDDER_UNAVAILABLE', message, { ...(hint === undefined ? {} : { hint }), cause });
  }
}

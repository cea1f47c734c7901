import { DowserError } from '../model/errors.ts';

/**
 * A model or a library that is not there or does not load. Somebody has to do something first, so trying again with the
 * next question would only cost time: the breaker opens at once and for its longest pause.
 */
export class LoadFailure extends DowserError {
  constructor(message: string, options: { readonly hint?: string | undefined; readonly cause?: unknown } = {}) {
    const { hint, cause } = options;
    super('EMBEDDER_UNAVAILABLE', message, { ...(hint === undefined ? {} : { hint }), cause });
  }
}

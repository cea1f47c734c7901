import { DowserError, type DowserErrorOptions } from '../model/errors/errors.ts';

/**
 * A model or a library that is missing or does not load. Retrying soon is useless: a person has to fix it first. So the
 * breaker opens at once, for its longest pause.
 */
export class LoadFailure extends DowserError {
  constructor(message: string, options: DowserErrorOptions) {
    super('EMBEDDER_UNAVAILABLE', message, options);
  }
}

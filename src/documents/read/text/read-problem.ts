import type { ReadFailureCode } from '../../contract/document-reader.ts';

/** Stops the reading of one file. It becomes a `ReadFailure`. */
export class ReadProblem extends Error {
  readonly code: ReadFailureCode;

  constructor(code: ReadFailureCode, message: string) {
    super(message);
    this.name = 'ReadProblem';
    this.code = code;
  }
}

import { type DowserError, toDowserError, toErrorBody } from '../../model/errors/errors.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { eachOnOneLine, oneLine } from '../terminal/text-width.ts';
import { inPlainWords } from './plain-words.ts';

export interface FailureOptions {
  readonly json: boolean;
  /** Show the stack trace. */
  readonly debug: boolean;
  /** The hint for an invalid argument without one. */
  readonly readMore: string;
}

/** Prints an error to standard error. Returns the exit code. */
export function reportFailure(thrown: unknown, terminal: Terminal, options: FailureOptions): number {
  const error = inPlainWords(toDowserError(thrown));
  const hint = hintFor(error, options);
  if (options.json) {
    const body = { ...toErrorBody(error).error, ...(hint === undefined ? {} : { hint }) };
    terminal.write(`${JSON.stringify({ error: body }, null, 2)}\n`);
  } else {
    terminal.write(`${terminal.style.red(`error[${error.code}]`)}: ${oneLine(error.message)}\n`);
    if (hint !== undefined) terminal.write(`hint: ${oneLine(hint)}\n`);
  }
  if (options.debug) terminal.write(`${eachOnOneLine(traceOf(thrown))}\n`);
  return error.exitCode;
}

function hintFor({ code, ownHint }: DowserError, { readMore }: FailureOptions): string | undefined {
  if (code === 'INTERNAL') return 'Set DOWSER_DEBUG=1 to see the details.';
  return ownHint ?? (code === 'INVALID_REQUEST' ? readMore : undefined);
}

function traceOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const trace = thrown.stack ?? thrown.message;
  return thrown.cause === undefined ? trace : `${trace}\ncaused by ${traceOf(thrown.cause)}`;
}

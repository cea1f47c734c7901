import { Transform, type TransformCallback } from 'node:stream';
import { STDIO_DEFAULT_MAX_BUFFER_SIZE } from '@modelcontextprotocol/server';
import { type Refusal, readLine, refuseLongLine } from './read-line.ts';

/** How long the last answers may take after the client has closed its end. */
const LAST_ANSWERS_MS = 30_000;

/** The transport ends the session at a longer line, line break included. */
const MAX_LINE_BYTES = STDIO_DEFAULT_MAX_BUFFER_SIZE;
const LINE_END = 10;

/**
 * Adds two things to the transport. It ignores a line that is not a message, and ends the session at one that is too long:
 * this answers both with an error, and the session continues. It also stops as soon as the client closes its end, as a
 * script does after its last request: this delays the end of the input until every request has its answer.
 */
export function answeringAll(): { readonly input: Transform; readonly output: Transform } {
  const pending = new Set<string>();
  let finish: (() => void) | null = null;
  // Skips the filter of the output, which would take it for the answer to a pending request with the same id.
  const refuse = (refusal: Refusal) => void output.push(`${JSON.stringify(refusal)}\n`);
  const input = eachLine({
    maxBytes: MAX_LINE_BYTES,
    passes(line) {
      const { message, refusal } = readLine(line);
      if (refusal !== undefined) refuse(refusal);
      if (message === undefined) return false;
      if ('id' in message && 'method' in message) pending.add(JSON.stringify(message.id));
      return true;
    },
    tooLong: () => refuse(refuseLongLine(MAX_LINE_BYTES)),
    atEnd(end) {
      if (pending.size === 0) return end();
      const timer = setTimeout(() => finish?.(), LAST_ANSWERS_MS);
      finish = () => {
        finish = null;
        clearTimeout(timer);
        end();
      };
    },
  });
  const output = eachLine({
    passes(line) {
      const { id, method } = JSON.parse(line) as { readonly id?: unknown; readonly method?: unknown };
      if (id !== undefined && method === undefined) pending.delete(JSON.stringify(id));
      // Wait until the answer itself is sent.
      if (pending.size === 0) setImmediate(() => finish?.());
      return true;
    },
  });
  return { input, output };
}

interface LineFilter {
  /** Whether to pass on a line. Not called for empty lines. */
  passes(line: string): boolean;
  /** The longest line, line break included. Default: no limit. */
  readonly maxBytes?: number;
  /** Called for each line that was skipped for its length. */
  tooLong?(): void;
  /** Called at the end of the input. Must call `end`, now or later. */
  atEnd?(end: () => void): void;
}

/** Passes on whole lines, one by one. Adds a missing line break at the end. Does not buffer a line that is too long. */
function eachLine({ passes, maxBytes = Number.POSITIVE_INFINITY, tooLong, atEnd }: LineFilter): Transform {
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer) => {
    bytes += part.length;
    if (bytes < maxBytes) parts.push(part);
    else parts = [];
  };
  const endLine = (stream: Transform) => {
    const line = Buffer.concat(parts).toString('utf8');
    if (bytes >= maxBytes) tooLong?.();
    else if (line.trim() !== '' && passes(line)) stream.push(`${line}\n`);
    parts = [];
    bytes = 0;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      let start = 0;
      for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
        add(chunk.subarray(start, end));
        endLine(this);
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
      done();
    },
    flush(done) {
      endLine(this);
      if (atEnd === undefined) done();
      else atEnd(done);
    },
  });
}

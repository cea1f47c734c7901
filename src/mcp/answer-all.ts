import { Transform, type TransformCallback } from 'node:stream';
import { STDIO_DEFAULT_MAX_BUFFER_SIZE } from '@modelcontextprotocol/server';
import { type Refusal, readLine, refuseLongLine } from './read-line.ts';

/** How long an answer may take once the client has said its last word. */
const LAST_ANSWERS_MS = 30_000;

/** The transport ends the session at a line that is longer, its end included. */
const MAX_LINE_BYTES = STDIO_DEFAULT_MAX_BUFFER_SIZE;
const LINE_END = 10;

/**
 * Two things that the transport leaves undone. It says nothing to a line that is no message, and ends at one that is too
 * long: this answers both with an error, and the session goes on. And a client may send its questions and close its end at once, as a script does, where the
 * transport would stop with answers under way: this holds the end of the input back until every question has its answer.
 */
export function answeringAll(): { readonly input: Transform; readonly output: Transform } {
  const pending = new Set<string>();
  let finish: (() => void) | null = null;
  // Past the gate of the output, which would take it for the answer to a pending question with the same id.
  const refuse = (refusal: Refusal) => void output.push(`${JSON.stringify(refusal)}\n`);
  const input = eachLine({
    maxBytes: MAX_LINE_BYTES,
    passes(line) {
      const read = readLine(line);
      if (read.type === 'refusal') refuse(read.refusal);
      if (read.type !== 'message') return false;
      if ('id' in read.message && 'method' in read.message) pending.add(JSON.stringify(read.message.id));
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
    maxBytes: Number.POSITIVE_INFINITY,
    passes(line) {
      const { id, method } = JSON.parse(line) as { readonly id?: unknown; readonly method?: unknown };
      if (id !== undefined && method === undefined) pending.delete(JSON.stringify(id));
      // After the answer itself has gone out.
      if (pending.size === 0) setImmediate(() => finish?.());
      return true;
    },
    tooLong: () => {},
    atEnd: (end) => end(),
  });
  return { input, output };
}

interface Gate {
  /** The longest line that is read, its end included. */
  readonly maxBytes: number;
  /** Sees each line that is not empty, and says whether it goes on its way. */
  passes(line: string): boolean;
  /** Called for each line that was skipped for its length. */
  tooLong(): void;
  /** Called when there is no more to come; `end` tells the reader so. */
  atEnd(end: () => void): void;
}

/** Lets whole lines pass, one by one; a last one that nobody ended is ended. Of one that is too long nothing is kept. */
function eachLine({ maxBytes, passes, tooLong, atEnd }: Gate): Transform {
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer) => {
    bytes += part.length;
    if (bytes < maxBytes) parts.push(part);
    else parts = [];
  };
  const endLine = (stream: Transform) => {
    const line = Buffer.concat(parts).toString('utf8');
    if (bytes >= maxBytes) tooLong();
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
      atEnd(() => done());
    },
  });
}

import { Transform, type TransformCallback } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { STDIO_DEFAULT_MAX_BUFFER_SIZE } from '@modelcontextprotocol/server';
import { readLine } from './read-line.ts';

/** How long an answer may take once the client has said its last word. */
const LAST_ANSWERS_MS = 30_000;

/**
 * Two things that the transport leaves undone. It says nothing to a line that is no message: this answers it with an error,
 * and the session goes on. And a client may send its questions and close its end at once, as a script does, where the
 * transport would stop with answers under way: this holds the end of the input back until every question has its answer.
 */
export function answeringAll(): { readonly input: Transform; readonly output: Transform } {
  const pending = new Set<string>();
  let finish: (() => void) | null = null;
  const input = eachLine({
    passes(line) {
      const read = readLine(line);
      if ('refusal' in read) {
        output.write(`${JSON.stringify(read.refusal)}\n`);
        return false;
      }
      if ('id' in read.message && 'method' in read.message) pending.add(JSON.stringify(read.message.id));
      return true;
    },
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
      // After the answer itself has gone out.
      if (pending.size === 0) setImmediate(() => finish?.());
      return true;
    },
    atEnd: (end) => end(),
  });
  return { input, output };
}

interface Gate {
  /** Sees each line that is not empty, and says whether it goes on its way. */
  passes(line: string): boolean;
  /** Called when there is no more to come; `end` tells the reader so. */
  atEnd(end: () => void): void;
}

/** Lets whole lines pass; a last one that nobody ended is ended. Fails on one that is longer than the transport would hold. */
function eachLine({ passes, atEnd }: Gate): Transform {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const passing = (lines: readonly string[]) =>
    lines
      .filter((line) => line.trim() !== '' && passes(line))
      .map((line) => `${line}\n`)
      .join('');
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > STDIO_DEFAULT_MAX_BUFFER_SIZE) return done(new Error('A line is too long to be a message.'));
      done(null, passing(lines));
    },
    flush(done) {
      this.push(passing([rest]));
      atEnd(() => done());
    },
  });
}

import { Transform, type TransformCallback } from 'node:stream';

/** How long an answer may take once the client has said its last word. */
const LAST_ANSWERS_MS = 30_000;

/**
 * A client may send its questions and close its end at once, as a script does. The transport would stop right then, with
 * answers under way: this holds the end of the input back until every question has its answer.
 */
export function answeringAll(): { readonly input: Transform; readonly output: Transform } {
  const pending = new Set<string>();
  let finish: (() => void) | null = null;
  const input = eachMessage(
    ({ id, method }) => {
      if (id !== undefined && method !== undefined) pending.add(JSON.stringify(id));
    },
    (end) => {
      if (pending.size === 0) return end();
      const timer = setTimeout(() => finish?.(), LAST_ANSWERS_MS);
      finish = () => {
        finish = null;
        clearTimeout(timer);
        end();
      };
    },
  );
  const output = eachMessage(
    ({ id, method }) => {
      if (id === undefined || method !== undefined) return;
      pending.delete(JSON.stringify(id));
      // After the answer itself has gone out.
      if (pending.size === 0) setImmediate(() => finish?.());
    },
    (end) => end(),
  );
  return { input, output };
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
}

/** Passes everything on as it is, and shows each message on its way. */
function eachMessage(see: (message: Message) => void, atEnd: (end: () => void) => void): Transform {
  let rest = '';
  const look = (line: string) => {
    try {
      const parsed: unknown = JSON.parse(line);
      for (const message of Array.isArray(parsed) ? parsed : [parsed]) {
        if (message !== null && typeof message === 'object') see(message as Message);
      }
    } catch {
      // Not ours to judge: the transport says what is wrong with it.
    }
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') look(line);
      done(null, chunk);
    },
    flush(done) {
      if (rest.trim() !== '') look(rest);
      atEnd(() => done());
    },
  });
}

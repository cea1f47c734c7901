import type { Engine } from '../engines/engine.ts';
import { DowserError } from '../model/errors.ts';
import { type AnyMethod, type EngineMethod, viewOf } from './engine-view.ts';

/** A defect on the way to a write stays a defect: nobody should try it again. */
const WRITES: ReadonlySet<EngineMethod> = new Set<EngineMethod>([
  'put',
  'delete',
  'annotate',
  'putVectors',
  'build',
  'serveBuilding',
  'dropStaleVectors',
  'close',
]);

/**
 * The same engine, whose reads fail only with errors that have a code: whatever else breaks inside it means that it cannot
 * answer now. A search over a broken engine is an error, never an empty answer.
 */
export function guardReads(engine: Engine): Engine {
  return viewOf(engine, (name, method) => (WRITES.has(name) ? method : (...args) => read(method, args)));
}

function read(method: AnyMethod, args: readonly unknown[]): unknown {
  try {
    const answer = method(...args);
    return answer instanceof Promise ? answer.catch(fail) : answer;
  } catch (thrown) {
    return fail(thrown);
  }
}

function fail(thrown: unknown): never {
  if (thrown instanceof DowserError) throw thrown;
  throw new DowserError('ENGINE_UNAVAILABLE', 'The search engine could not answer.', {
    hint: 'Try again; the log of the server or of the command holds the details.',
    cause: thrown,
  });
}

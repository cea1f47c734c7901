import type { Engine } from '../engines/engine.ts';
import { DowserError } from '../model/errors.ts';

/** A defect on the way to a write stays a defect: nobody should try it again. */
const WRITES: ReadonlySet<PropertyKey> = new Set<keyof Engine>([
  'put',
  'delete',
  'annotate',
  'putVectors',
  'build',
  'serveBuilding',
  'dropStaleVectors',
  'close',
]);

type Method = (...args: readonly unknown[]) => unknown;

/**
 * The same engine, whose reads fail only with errors that have a code: whatever else breaks inside it means that it cannot
 * answer now. A search over a broken engine is an error, never an empty answer.
 */
export function guardReads(engine: Engine): Engine {
  const methods = new Map<PropertyKey, Method>();
  return new Proxy(engine, {
    get(target, key) {
      const known = methods.get(key);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      // Engines have private fields, which only the engine itself can reach.
      const bound = value.bind(target) as Method;
      const method: Method = WRITES.has(key) ? bound : (...args) => read(bound, args);
      methods.set(key, method);
      return method;
    },
  });
}

function read(method: Method, args: readonly unknown[]): unknown {
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

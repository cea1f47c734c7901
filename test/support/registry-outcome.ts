import { DowserError } from '../../src/model/errors/errors.ts';
import type { Registry } from '../../src/registry/contract/registry.ts';

/** One question to a registry. */
export type Ask = (registry: Registry) => Promise<unknown>;

/** Questions for every method: a method of `Registry` that is missing does not compile. */
export type EveryMethod = { readonly [M in keyof Registry]: readonly Ask[] };

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** What came of a question: the answer as JSON, its times and tags left out, or what the error says to programs and people. */
export async function outcomeOf(registry: Registry, ask: Ask): Promise<unknown> {
  try {
    const text = JSON.stringify(await ask(registry), (key, value) =>
      key === 'etag' ? 'a tag' : TIME.test(value) ? 'a time' : ID.test(value) ? 'an id' : value,
    );
    return { answer: text === undefined ? null : JSON.parse(text) };
  } catch (thrown) {
    if (!(thrown instanceof DowserError)) throw thrown;
    const { code, message, field } = thrown;
    // A server adds where its documentation is.
    const { docs: _docs, ...details } = thrown.details ?? {};
    return { error: { code, message, field, details } };
  }
}

export async function everyOf<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

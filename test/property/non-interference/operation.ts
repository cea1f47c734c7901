import fc from 'fast-check';
import type { Surfaces } from './open-world.ts';
import { path, phrase, TAGS, word } from './world-words.ts';

/** One call of a caller. `named` is what a failure is reported with. */
export interface Operation {
  readonly named: string;
  /** The entity that it would create, which may meet a hidden one. */
  readonly creates?: string;
  run(surfaces: Surfaces): Promise<unknown>;
}

type Run = (surfaces: Surfaces) => Promise<unknown>;

export function operation(name: string, input: unknown, run: Run, creates?: string): Operation {
  return { named: `${name} ${JSON.stringify(input)}`, run, ...(creates === undefined ? {} : { creates }) };
}

/** Texts with hashtags, misspellings, beginnings of words, phrases and names. */
export const queryText = fc.oneof(
  { weight: 4, arbitrary: phrase(4) },
  fc.tuple(fc.constantFrom(...TAGS, 'secret-tag', 'nothing'), word).map(([tag, text]) => `#${tag} ${text}`),
  word.map((text) => `${text}s`),
  word.map((text) => text.slice(0, 4)),
  fc.tuple(word, word).map((two) => `"${two.join(' ')}"`),
  fc.array(phrase(5), { minLength: 2, maxLength: 3 }).map((parts) => parts.join('. ')),
  fc.constantFrom('secret-tag river', 'create_issue', 'https://acme.example/p1', 'zzzz', ''),
);
/** A field that a quarter of the requests have. */
export const maybe = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
/** An entity of the world, hidden or not: see `Surfaces.idAt`. */
const pick = fc.nat(999);
export const toolPath = fc.tuple(path, word).map(([server, tool]) => `${server}#${tool}`);

type Named = ReturnType<Surfaces['idAt']>;

/** An operation on one entity. */
export const onOne = (name: string, run: (surfaces: Surfaces, one: Named) => Promise<unknown>) =>
  pick.map((n) => operation(name, n, (surfaces) => run(surfaces, surfaces.idAt(n))));

/** An operation on two. */
export const onTwo = (name: string, run: (surfaces: Surfaces, a: Named, b: Named) => Promise<unknown>) =>
  fc.tuple(pick, pick).map(([n, m]) => operation(name, [n, m], (all) => run(all, all.idAt(n), all.idAt(m))));

/** Where REST has an entity. */
export const entityUrl = ({ type, path: where }: Pick<Named, 'type' | 'path'>): string =>
  `/api/entities/${type}/${encodeURIComponent(where)}`;

import type { Engine } from '../../src/engines/engine.ts';
import { type EntityInput, entityId } from '../../src/model/entity.ts';
import { anchorsIn } from '../../src/search/text/anchors.ts';
import { indexed, server, toyVector } from './engine-fixtures.ts';
import { wholeAnswer } from './retrieve.ts';

const QUERIES = ['signal lamp', 'harbour', 'rope', 'nothing of the kind', 'lam'];
const WORDS = ['signal', 'lamp', 'harbour', 'rope', 'knot', 'sail', 'tide', 'buoy'];

/** Everything that can be asked of an engine, as one value to compare. */
export async function portrait(engine: Engine): Promise<unknown> {
  const answers = [];
  for (const text of QUERIES) {
    for (const scorer of ['bm25f', 'boost'] as const) {
      for (const filter of [{}, { tags: ['even'], statuses: ['active'] }] as const) {
        answers.push(await wholeAnswer(engine.index, { text, scorer, filter, limit: 20, anchors: anchorsIn(text) }));
      }
    }
    const both = {
      text,
      vector: toyVector(text),
      filter: { enabled: true },
      limit: 20,
      crossScores: true,
      cards: true,
    };
    answers.push(await wholeAnswer(engine.index, both));
  }
  const { bytes: _, ...stats } = await engine.index.stats();
  return { answers, stats, entities: (await engine.store.scan({ limit: 1000 })).entities };
}

function ship(n: number, from: number, more: object = {}): EntityInput {
  const word = (k: number) => WORDS[k % WORDS.length]!;
  const tools = Array.from({ length: n % 4 }, (_, t) => {
    return { name: `${word(n + t)}_${word(t + from)}`, description: word(t * n) };
  });
  const facets = { tools, tags: n % 2 === 0 ? ['even'] : [], status: n % 7 === 0 ? 'draft' : 'active', ...more };
  return server(`/s${n}`, `${word(n + from)} ${word(n * 3)} lamp`, facets as object);
}

/**
 * Some of everything: entities added, replaced and deleted, with and without vectors, and one that only changes its
 * status. Texts depend on `from`, so that a second life over the same numbers changes them.
 */
export async function liveALittle(engine: Engine, from: number, to: number): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, k) => from + k);
  for (let at = 0; at < numbers.length; at += 15) {
    await engine.store.put(numbers.slice(at, at + 15).map((n) => indexed(ship(n, from), { vectors: n % 5 !== 0 })));
  }
  await engine.store.delete(numbers.filter((n) => (n - from) % 6 === 0).map((n) => entityId('mcp_server', `/s${n}`)));
  await engine.store.put([
    indexed(server(`/s${from + 1}`, 'a signal replaced', { tools: [{ name: 'rope' }] } as object)),
    indexed(ship(from + 2, from, { status: 'beta' }), { vectors: false }),
  ]);
  const [pending] = await engine.vectors.missing(1);
  if (pending !== undefined) await engine.vectors.put([{ ...pending, vector: toyVector(pending.text) }]);
}

import type { Engine } from '../../src/engines/engine.ts';
import { type EntityId, entityId } from '../../src/model/entity.ts';
import { indexed, server, toyVector } from './engine-fixtures.ts';

const QUERIES = ['signal lamp', 'harbour', 'rope', 'nothing of the kind', 'lam'];
const WORDS = ['signal', 'lamp', 'harbour', 'rope', 'knot', 'sail', 'tide', 'buoy'];

/** Everything that can be asked of an engine, as one value to compare. */
export async function portrait(engine: Engine): Promise<unknown> {
  const answers = [];
  for (const text of QUERIES) {
    for (const scorer of ['bm25f', 'boost'] as const) {
      const query = { text, scorer, limit: 20, explain: true };
      answers.push(await engine.searchKeyword({ ...query, filter: {} }));
      answers.push(await engine.searchKeyword({ ...query, filter: { tags: ['even'], statuses: ['active'] } }));
    }
    answers.push(await engine.searchVector({ vector: toyVector(text), filter: { enabled: true }, limit: 20 }));
  }
  const { bytes: _, ...stats } = await engine.stats();
  return { answers, stats, entities: (await engine.scan({ limit: 1000 })).entities };
}

/** Some of everything: entities added, replaced and deleted, with and without vectors. */
export async function liveALittle(engine: Engine, from: number, to: number): Promise<void> {
  const word = (n: number) => WORDS[n % WORDS.length]!;
  for (let first = from; first < to; first += 10) {
    const batch = Array.from({ length: Math.min(10, to - first) }, (_, k) => {
      const n = first + k;
      const tools = Array.from({ length: n % 4 }, (_, t) => {
        return { name: `${word(n + t)}_${word(t + from)}`, description: word(t * n) };
      });
      const more = { tools, tags: n % 2 === 0 ? ['even'] : [], status: n % 7 === 0 ? 'draft' : 'active' };
      return indexed(server(`/s${n}`, `${word(n + from)} ${word(n * 3)} lamp`, more as object), {
        vectors: n % 5 !== 0,
      });
    });
    await engine.put(batch);
  }
  const ids: EntityId[] = [];
  for (let n = from; n < to; n += 6) ids.push(entityId('mcp_server', `/s${n}`));
  await engine.delete(ids);
  await engine.put([indexed(server(`/s${from + 1}`, 'a signal replaced', { tools: [{ name: 'rope' }] } as object))]);
  const [pending] = await engine.missingVectors(1);
  if (pending !== undefined) await engine.putVectors([{ ...pending, vector: toyVector(pending.text) }]);
}

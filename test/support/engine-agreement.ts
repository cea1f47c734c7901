import { expect } from 'vitest';
import type { Engine } from '../../src/engines/engine.ts';
import type { Filter } from '../../src/model/query/filter.ts';
import { compareIds } from '../../src/search/retrieval/compare-ids.ts';
import type { FoundUnit, Retrieved } from '../../src/search/retrieval/retrieval.ts';
import { anchorsIn } from '../../src/search/text/anchors.ts';
import { toyVector } from './engine-fixtures.ts';
import { type QueryParts, queryOf, said, unitIds } from './retrieve.ts';

/** Cosines are sums of 32-bit numbers in one engine and of 64-bit ones in the other. */
const DIGITS = 5;
const ALL = 10_000;

const closeTo = (value: number | null, digits: number) => (value === null ? null : expect.closeTo(value, digits));

/** What a unit says. The reference has no parts in the reasons of a boost, and adds up a coverage in another order. */
function told(found: FoundUnit) {
  const { why, ...rest } = said(found);
  return { ...rest, why: why?.label === 'bm25f' ? why : why?.label };
}

/** The same with room for rounding. */
function toldLike(found: FoundUnit) {
  return {
    ...told(found),
    keyword: closeTo(found.keyword, 12),
    vector: closeTo(found.vector, DIGITS),
    similarity: closeTo(found.similarity(), DIGITS),
  };
}

const byUnit = (units: readonly FoundUnit[]) => [...units].sort((a, b) => compareIds(a.unit, b.unit));

/** The same answer, all of it. Where scores may differ by rounding, so may the order. */
function expectSameAnswer(actual: Retrieved, expected: Retrieved, isExact: boolean): void {
  expect(byUnit(actual.units).map(told)).toEqual(byUnit(expected.units).map(toldLike));
  expect(actual.vector === null).toBe(expected.vector === null);
  const inOrder = isExact ? (units: readonly FoundUnit[]) => units : byUnit;
  if (actual.vector === null) expect(unitIds(inOrder(actual.units))).toEqual(unitIds(inOrder(expected.units)));
  for (const leg of ['keyword', 'vector'] as const) {
    const ordered = leg === 'keyword' ? inOrder : byUnit;
    expect(unitIds(ordered(actual[leg] ?? []))).toEqual(unitIds(ordered(expected[leg] ?? [])));
    expectOrdered(actual[leg] ?? [], leg);
  }
  const { holders, ceiling, meanVector, ...counts } = actual.evidence;
  const { holders: sameHolders, ceiling: sameCeiling, meanVector: sameMean, ...sameCounts } = expected.evidence;
  expect(counts).toEqual(sameCounts);
  expect(ceiling).toBeCloseTo(sameCeiling, 9);
  expect(meanVector && [...meanVector]).toEqual(sameMean && Array.from(sameMean, (x) => closeTo(x, DIGITS)));
  expect(holders.map(({ units, ...held }) => ({ ...held, units: units.map(told) }))).toEqual(
    sameHolders.map(({ units, ...held }) => ({ ...held, units: units.map(toldLike) })),
  );
}

/** The servers of both answers have the same tools, with the same scores. */
function expectSameTools(actual: Retrieved, expected: Retrieved, values: Float32Array): void {
  const toldTools = ({ units, toolsOf }: Retrieved, tell: (found: FoundUnit) => object, digits: number | null) =>
    toolsOf(units.toSorted((a, b) => compareIds(a.unit, b.unit))).map(({ name, tools, cosines }) => ({
      name,
      tools: tools.map(tell),
      cosines: cosines(values).map((cosine) => (digits === null ? cosine : closeTo(cosine, digits))),
    }));
  expect(toldTools(actual, told, null)).toEqual(toldTools(expected, toldLike, DIGITS));
}

/** Best first, then by unit id. */
function expectOrdered(list: readonly FoundUnit[], leg: 'keyword' | 'vector'): void {
  const ordered = [...list].sort((a, b) => b[leg]! - a[leg]! || compareIds(a.unit, b.unit));
  expect(unitIds(list)).toEqual(unitIds(ordered));
}

/** A short answer is cut from the long one, with the same scores, and has the card of every part. */
function expectPartOf(short: Retrieved, long: Retrieved, limit: number): void {
  expect(unitIds(short.keyword)).toEqual(unitIds(long.keyword.slice(0, limit)));
  expect(unitIds(short.vector!)).toEqual(unitIds(long.vector!.slice(0, limit)));
  const scores = new Map(long.units.map((found) => [found.unit, found]));
  for (const { unit, keyword, vector } of short.units) {
    expect([unit, keyword, vector]).toEqual([unit, scores.get(unit)!.keyword, closeTo(scores.get(unit)!.vector, 6)]);
  }
  const cards = new Set(short.units.flatMap(({ kind, entity }) => (kind === 'card' ? [entity] : [])));
  expect(short.units.filter(({ entity }) => !cards.has(entity))).toEqual([]);
}

/** The best of each type, as the whole list orders them. */
function expectPerType(short: Retrieved, long: Retrieved, limit: number, types: readonly string[]): void {
  const list = long.vector!;
  const best = new Set<FoundUnit>();
  for (const type of types) {
    const own = list.filter((found) => found.type === type || (type === 'server_tool' && found.kind === 'tool'));
    for (const found of own.slice(0, limit)) best.add(found);
  }
  expect(unitIds(short.vector!)).toEqual(unitIds(list.filter((found) => best.has(found))));
}

/** The parts of an engine that are compared. */
export type ComparedEngine = Pick<Engine, 'store' | 'vectors' | 'index'>;

/** Both engines give the same answers, in full and cut to a few. */
export async function expectAgreement(
  actual: ComparedEngine,
  expected: ComparedEngine,
  queries: readonly string[],
  filters: readonly Filter[],
): Promise<void> {
  const retrieve = (parts: QueryParts) => actual.index.retrieve(queryOf(parts));
  const compare = async (parts: QueryParts) => {
    const answer = await retrieve(parts);
    expectSameAnswer(answer, await expected.index.retrieve(queryOf(parts)), parts.scorer !== 'coverage');
    return answer;
  };
  const { bytes: _, ...stats } = await actual.index.stats();
  expect(stats).toEqual(await expected.index.stats());
  for (const [n, text] of queries.entries()) {
    for (const filter of filters) {
      const anchors = anchorsIn(`${text} "${text}"`);
      const parts = { text, filter, anchors, crossScores: true, cards: true };
      for (const scorer of ['bm25f', 'boost', 'constant', 'coverage'] as const) {
        const { keyword } = await compare({ ...parts, scorer, limit: ALL, crossScores: n % 2 === 0 });
        const few = { ...parts, scorer, limit: 7, toolsAsResults: n % 2 === 1, results: 4 };
        const short = await (scorer === 'coverage' ? retrieve(few) : compare(few));
        expect(unitIds(short.keyword)).toEqual(unitIds(keyword.slice(0, short.keyword.length)));
      }
      await compare({ ...parts, hashtags: text.split(/\s+/u), limit: 3 });
      const both = { ...parts, vector: toyVector(text) };
      const long = await compare({ ...both, limit: ALL, unitKinds: n % 2 === 0 ? ['card', 'tool'] : undefined });
      const first = { ...both, limit: 4 };
      expectSameTools(await retrieve(first), await expected.index.retrieve(queryOf(first)), toyVector(`${text} tool`));
      const whole = n % 2 === 0 ? await retrieve({ ...both, limit: ALL }) : long;
      expectPartOf(await retrieve({ ...both, limit: 7, anchors: [] }), whole, 7);
      const words = text.split(/\s+/u).slice(0, 3);
      const inParts = { ...both, parts: words, vectorParts: words.map((word) => toyVector(word)) };
      await compare({ ...inParts, limit: ALL });
      await compare({ ...inParts, vector: null, vectorParts: [], limit: 7 });
      const perType = await retrieve({ ...both, limit: 3, perType: true });
      expectPerType(perType, whole, 3, filter.types ?? Object.keys(stats.byType));
    }
  }
  const scan = (engine: ComparedEngine) => engine.store.scan({ limit: ALL });
  expect((await scan(actual)).entities).toEqual((await scan(expected)).entities);
  const waiting = async ({ vectors }: ComparedEngine) => unitIds(await vectors.missing(ALL)).sort();
  expect(await waiting(actual)).toEqual(await waiting(expected));
}

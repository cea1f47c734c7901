import type { LabeledQuery } from '../../src/eval/labeled-set.ts';
import type { Entity } from '../../src/model/entity.ts';

/** A sample of a catalog, and queries whose answers are all in it. */
export interface SmallCatalog {
  readonly entities: readonly Entity[];
  readonly queries: readonly LabeledQuery[];
}

const SAMPLES = 6;

/** A sample has at most one query for so many entities, so that most entities answer none. */
const ENTITIES_PER_QUERY = 4;

/** Samples of a catalog with this many entities: the answers of some queries, then others, evenly spread. */
export function smallCatalogs(
  all: readonly Entity[],
  queries: readonly LabeledQuery[],
  size: number,
): readonly SmallCatalog[] {
  const byPath = new Map(all.map((entity) => [entity.path, entity]));
  return Array.from({ length: SAMPLES }, (_, sample) => {
    const chosen = new Set<Entity>();
    const asked: LabeledQuery[] = [];
    for (let at = sample; at < queries.length && asked.length * ENTITIES_PER_QUERY < size; at += SAMPLES) {
      const query = queries[at]!;
      const answers = [...query.relevant].flatMap(([path, grade]) => (grade > 0 ? (byPath.get(path) ?? []) : []));
      if (answers.length === 0 || chosen.size + answers.length > size) continue;
      for (const entity of answers) chosen.add(entity);
      asked.push(query);
    }
    for (let n = 0; chosen.size < Math.min(size, all.length); n++) {
      const round = Math.floor(n / size);
      chosen.add(all[(Math.floor(((n % size) * all.length) / size) + sample + round) % all.length]!);
    }
    return { entities: [...chosen], queries: asked };
  });
}

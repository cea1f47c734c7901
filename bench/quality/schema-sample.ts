import { SchemaLinks } from '../../src/graph/derive/schema-links.ts';
import { entityId } from '../../src/model/entity.ts';
import type { Edge } from '../../src/model/entity-parts/edge.ts';
import { toolsOf } from '../../src/model/entity-types/table.ts';
import type { SectionContext } from './section.ts';
import { readCorpus } from './set-folders.ts';

const CATALOG = 'mcp_corpus';
export const SAMPLE_SEED = 7;
const SAMPLE = 100;
/** Right ones of the sample, read one by one: does the result of the source have the id that the target needs? */
const JUDGED_RIGHT = 93;
/** The edges of the corpus at that time: a changed derivation needs a new look. */
const JUDGED_EDGES = 7007;

/** A small generator with a seed: mulberry32. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), 1 | state);
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
    return ((z ^ (z >>> 14)) >>> 0) / 4294967296;
  };
}

/** Every edge that tool schemas of a catalog give, by its ends, in order. */
export async function schemaEdges({ sets }: Pick<SectionContext, 'sets'>): Promise<readonly Edge[]> {
  const folder = sets.find(({ name }) => name === CATALOG);
  if (folder === undefined) return [];
  const entities = await readCorpus(folder);
  const links = new SchemaLinks();
  for (const entity of entities) links.add(entity);
  const edges = new Map<string, Edge>();
  for (const entity of entities) {
    for (const { name } of toolsOf(entity)) {
      for (const edge of links.around(entityId('tool', `${entity.path}#${name}`), () => true)) {
        edges.set(`${edge.source} > ${edge.target}`, edge);
      }
    }
  }
  return [...edges].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, edge]) => edge);
}

export function sampleOf(edges: readonly Edge[], seed = SAMPLE_SEED): readonly Edge[] {
  const next = random(seed);
  const picked = new Set<number>();
  while (picked.size < Math.min(SAMPLE, edges.length)) picked.add(Math.floor(next() * edges.length));
  return [...picked].map((at) => edges[at]!);
}

export async function measureSample(context: SectionContext): Promise<readonly string[]> {
  const edges = await schemaEdges(context);
  if (edges.length === 0) return [];
  const isJudged = edges.length === JUDGED_EDGES;
  return [
    `Tool schemas of ${CATALOG} (9,738 servers, 32,499 tools without output schemas) give ${edges.length} edges. Of ${SAMPLE} drawn with the seed`,
    isJudged
      ? `${SAMPLE_SEED} and read one by one, ${JUDGED_RIGHT} were right: a precision of ${(JUDGED_RIGHT / SAMPLE).toFixed(2)}.`
      : `${SAMPLE_SEED}, none has been read since the derivation changed.`,
    '`node --import tsx bench/sample-edges.ts DIR` prints the sample.',
  ];
}

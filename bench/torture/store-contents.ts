import { answerOf } from './ask.ts';
import type { Random } from './random.ts';

/** What a store has, by keys of our own. */
export type Contents = ReadonlyMap<string, string>;

interface ListedEntity {
  readonly type: string;
  readonly path: string;
  readonly description?: string;
  readonly content?: string;
  readonly status: string;
}

/** Entities with this beginning are rated and have edges. */
export const RATED = '/rated-';
export const EDGE_TYPE = 'POPULAR_WITH';

export const entityKey = (type: string, path: string) => `${type}:${path}`;
/** A memory is named by its content: its path is not known before it is stored. */
export const memoryKey = (content: string) => `memory:${content}`;
export const ratingKey = (path: string) => `rating:${path}`;
export const edgeKey = (source: string, target: string) => `edge:${source} ${target}`;
export const pathInUrl = (type: string, path: string) => `${type}/${encodeURIComponent(path)}`;

/** Reads every entity, and the ratings and edges of those that have some. */
export async function readContents(url: string): Promise<Contents> {
  const contents = new Map<string, string>();
  for (const { type, path, description, content, status } of await listAll(url)) {
    if (type === 'memory') contents.set(memoryKey(content ?? ''), status);
    else contents.set(entityKey(type, path), description ?? '');
    if (path.startsWith(RATED)) await readNotes(url, path, contents);
  }
  return contents;
}

async function listAll(url: string): Promise<readonly ListedEntity[]> {
  const all: ListedEntity[] = [];
  let cursor: string | undefined;
  do {
    const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { entities: { entity: ListedEntity }[]; cursor?: string } = await answerOf(
      url,
      'GET',
      `/api/entities?limit=500${after}`,
    );
    for (const { entity } of page.entities) all.push(entity);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return all;
}

interface ListedRelation {
  readonly relation: string;
  readonly direction: string;
  readonly path: string;
  readonly weight: number;
}

async function readNotes(url: string, path: string, into: Map<string, string>): Promise<void> {
  const name = pathInUrl('tool', path);
  const { num_stars } = await answerOf<{ num_stars: number }>(url, 'GET', `/api/entities/${name}/rating`);
  if (num_stars > 0) into.set(ratingKey(path), String(num_stars));
  const { relations } = await answerOf<{ relations: ListedRelation[] }>(url, 'GET', `/api/graph/entities/${name}`);
  for (const { relation, direction, path: target, weight } of relations)
    if (relation === EDGE_TYPE && direction === 'out') into.set(edgeKey(path, target), String(Math.round(weight)));
}

const SEARCHES = 5;

/** Searches for some tools by a word that only they have, and says which are not found. */
export async function notFound(url: string, contents: Contents, random: Random): Promise<readonly string[]> {
  const tools = [...contents].filter(([key]) => key.startsWith('tool:'));
  const problems: string[] = [];
  for (let n = 0; n < Math.min(SEARCHES, tools.length); n++) {
    const [key, description] = random.pick(tools);
    const word = description.split(' ')[2]!;
    const body = { query: word, entity_types: ['tool'] };
    const { tools: hits } = await answerOf<{ tools: { path: string }[] }>(url, 'POST', '/api/search/semantic', body);
    if (!hits.some(({ path }) => `tool:${path}` === key)) problems.push(`${key} is not found by its word ${word}`);
  }
  return problems;
}

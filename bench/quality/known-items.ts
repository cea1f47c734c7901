import type { Entity } from '../../src/model/entity.ts';
import { MAX_QUERY_CHARS, type SearchRequestInput } from '../../src/model/query/query.ts';
import type { Registry } from '../../src/registry/contract/registry.ts';
import { spread } from './set-folders.ts';

/** A question with what it was made from: whatever has the same name, or the same description, answers it. */
export interface KnownItem {
  readonly query: string;
  readonly type: Entity['type'];
  readonly answers: ReadonlySet<string>;
}

/** How much of a description somebody would remember. */
const REMEMBERED_WORDS = 12;

const remembered = (text: string) => text.split(/\s+/u).slice(0, REMEMBERED_WORDS).join(' ');

/** Up to `most` entities, evenly spread, asked for by their name or by the first words of their description. */
export function knownItems(
  entities: readonly Entity[],
  by: 'name' | 'description',
  most: number,
): readonly KnownItem[] {
  const queryOf = (entity: Entity) =>
    (by === 'name' ? entity.name : remembered(entity.description)).slice(0, MAX_QUERY_CHARS).trim();
  const keyOf = (entity: Entity) => `${entity.type}\n${queryOf(entity).toLowerCase()}`;
  const answers = new Map<string, Set<string>>();
  for (const entity of entities) {
    const paths = answers.get(keyOf(entity)) ?? new Set<string>();
    answers.set(keyOf(entity), paths.add(entity.path));
  }
  const asked = entities.filter((entity) => /\p{L}|\p{N}/u.test(queryOf(entity).replaceAll(/#\S+/gu, '')));
  return spread(asked, most).map((entity) => ({
    query: queryOf(entity),
    type: entity.type,
    answers: answers.get(keyOf(entity))!,
  }));
}

/** 1 over the rank of the first answer on a page of ten; 0 when there is none. */
export async function reciprocalRank(
  registry: Registry,
  { query, type, answers }: KnownItem,
  request: SearchRequestInput = {},
): Promise<number> {
  const { results } = await registry.search({ query, max_results: 10, ...request });
  const at = results.findIndex((result) => result.entity_type === type && answers.has(result.path));
  return at < 0 ? 0 : 1 / (at + 1);
}

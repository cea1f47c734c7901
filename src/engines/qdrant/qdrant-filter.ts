import { ENTITY_TYPES } from '../../model/entity.ts';
import { UNIT_KINDS } from '../../model/entity-parts/unit.ts';
import { type Filter, foldTag } from '../../model/query/filter.ts';
import { toStoredText } from '../stored-text.ts';

export type Condition =
  | { readonly key: string; readonly match: { readonly any: readonly string[] } | { readonly value: string | boolean } }
  | { readonly has_id: readonly string[] };

/** The clauses that points are filtered by. The node checks every hit against the others. */
export type ServerFilter = Pick<
  Filter,
  'types' | 'unitKinds' | 'statuses' | 'enabled' | 'tags' | 'tagsAny' | 'readers'
>;

export function serverFilter(filter: Filter): { readonly known: ServerFilter; readonly isWhole: boolean } {
  const { types, unitKinds, statuses, enabled, tags, tagsAny, readers, ...rest } = filter;
  const given = { types, unitKinds, statuses, enabled, tags, tagsAny, readers };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ServerFilter;
  return { known, isWhole: Object.values(rest).every((value) => value === undefined) };
}

export function toConditions({ types, unitKinds, statuses, enabled, tags = [], tagsAny, readers }: ServerFilter) {
  const conditions: Condition[] = [];
  const any = (key: string, values: readonly string[]) => conditions.push({ key, match: { any: values } });
  if (types !== undefined || unitKinds !== undefined) any('what', whats(types, unitKinds));
  if (statuses !== undefined) any('status', statuses);
  if (enabled !== undefined) conditions.push({ key: 'live', match: { value: enabled } });
  for (const tag of tags) conditions.push({ key: 'tags', match: { value: toStoredText(foldTag(tag)) } });
  if (tagsAny !== undefined) any('tags', tagsAny.map(foldTag).map(toStoredText));
  if (readers !== undefined) any('readers', readers.map(toStoredText));
  return conditions;
}

function whats(types: Filter['types'], kinds: Filter['unitKinds']): readonly string[] {
  return ENTITY_TYPES.flatMap((type) =>
    UNIT_KINDS.flatMap((kind) => {
      const isOfType = types?.includes(type) ?? true;
      const isTool = kind === 'tool' && types?.includes('server_tool') === true;
      return (isOfType || isTool) && (kinds?.includes(kind) ?? true) ? [`${type}/${kind}`] : [];
    }),
  );
}

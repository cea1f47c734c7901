import { tagsIn } from '../../memories/contract/tags-field.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import { NOT_OFFERED } from './service-answers.ts';

/** The arguments of a call as a client of the memory service sends them. */
export type ServiceArguments = Readonly<Record<string, unknown>>;

/** Only fields with a value: these clients send null for what they leave out. */
export const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

export function needed(args: ServiceArguments, name: string): string {
  const value = args[name];
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new DowserError('INVALID_REQUEST', `'${name}' is ${showValue(value)}: must be text.`, { field: name });
}

/** What a search of the memory service may ask for and gets no answer to, in words. Throws for a boost that is none. */
export function notOfferedIn({ quality_boost, entity }: ServiceArguments): readonly string[] {
  const isShare = typeof quality_boost === 'number' && quality_boost >= 0 && quality_boost <= 1;
  if (quality_boost != null && typeof quality_boost !== 'boolean' && !isShare) {
    throw new DowserError('INVALID_REQUEST', `'quality_boost' is ${showValue(quality_boost)}: must be from 0 to 1.`, {
      field: 'quality_boost',
    });
  }
  const isBoosted = quality_boost === true || (typeof quality_boost === 'number' && quality_boost > 0);
  return [
    ...(isBoosted ? [`'quality_boost' changes nothing. ${NOT_OFFERED.memory_quality}`] : []),
    ...(entity == null ? [] : [`'entity' changes nothing: write the name into the query.`]),
  ];
}

/** `limit` and `n_results` mean the same. */
export const limitOf = (args: ServiceArguments, fallback: number): unknown => args.limit ?? args.n_results ?? fallback;

/** Tags of the call, a single `tag`, and those of `metadata.tags`, together; undefined for none of them. */
export function tagsOf(args: ServiceArguments): readonly unknown[] | undefined {
  const { metadata } = args;
  const inside = isJsonObject(metadata) ? metadata.tags : undefined;
  const stated = [args.tags ?? args.tag, inside].filter((tags) => tags !== undefined && tags !== null);
  return stated.length === 0 ? undefined : stated.flatMap(tagsIn);
}

/** The same for a call that means nothing without tags: it would mean every memory. */
export function neededTags(args: ServiceArguments): readonly unknown[] {
  const tags = tagsOf(args) ?? [];
  if (tags.length > 0) return tags;
  // As the memory service answers: 400 for an empty list, 422 for none.
  const code = Array.isArray(args.tags) ? 'EMPTY_SEARCH' : 'INVALID_REQUEST';
  throw new DowserError(code, `'tags' is ${showValue(args.tags ?? args.tag)}: must have a tag.`, {
    field: 'tags',
  });
}

/** Turns as clients send them: with fields of their own beside role and content. */
export function turnsOf({ turns }: ServiceArguments): unknown {
  if (!Array.isArray(turns)) return turns;
  return turns.map((turn: unknown) => {
    if (!isJsonObject(turn)) return turn;
    const { role, content, at } = turn;
    return given({ role, content, at });
  });
}

/** In the memory service, before a date is before that day begins. Who deletes must not lose the day itself. */
export const dayBegins = (date: unknown): unknown =>
  typeof date === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(date.trim()) ? `${date.trim()}T00:00:00Z` : date;

/** `match_all`, and `operation: AND`, are other words for `tag_match: all`. */
export function tagMatchOf(args: ServiceArguments, fallback: 'any' | 'all' = 'any'): 'any' | 'all' {
  if (args.tag_match !== undefined && args.tag_match !== null) return args.tag_match === 'all' ? 'all' : 'any';
  if (typeof args.match_all === 'boolean') return args.match_all ? 'all' : 'any';
  if (typeof args.operation === 'string') return args.operation.toUpperCase() === 'AND' ? 'all' : 'any';
  return fallback;
}

/** What a client wants stored. `metadata.tags` and `metadata.type` are tags and type. */
export function toStore(args: ServiceArguments): Record<string, unknown> & { readonly content: string } {
  const { metadata, client_hostname } = args;
  const { tags: _tags, type, ...rest } = isJsonObject(metadata) ? metadata : {};
  const kept = given({ ...rest, hostname: client_hostname });
  return {
    content: needed(args, 'content'),
    ...given({
      tags: tagsOf(args),
      memory_type: args.memory_type ?? type,
      conversation_id: args.conversation_id,
      metadata: Object.keys(kept).length === 0 ? undefined : kept,
    }),
  };
}

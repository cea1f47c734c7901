import { createHash } from 'node:crypto';
import type { EntityId } from '../../model/entity.ts';
import { isEntityType } from '../../model/entity-type.ts';
import { ENTITY_TYPE_TABLE } from '../../model/entity-types/table.ts';
import { isJsonObject, type JsonObject } from '../../model/json-object.ts';
import type { Change, Drift } from './observation.ts';

/** The definition of a tool of a server, or of a skill of an agent. */
export type Definition = JsonObject;
/** By name; a second of the same name is `name~2`. */
export type Definitions = Readonly<Record<string, Definition>>;

/** The fields that a model reads. Icons and the like are ignored. */
const DEFINING = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'tags', 'examples'];
const MAX_CHANGES = 5;
const SHOWN_CHARS = 80;

/** The names of changed and added definitions, by entity. */
export type Drifted = ReadonlyMap<EntityId, ReadonlySet<string>>;

export function changedNames(drift: unknown): ReadonlySet<string> {
  const { added, changed } = drift as Drift;
  return new Set([...added, ...changed.map(({ name }) => name)]);
}

/** JSON with sorted keys: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const pairs = Object.entries(value).filter(([, item]) => item !== undefined);
  pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}

export function digestOf(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
}

/**
 * The definitions of an entity as it was given, before anything of it is dropped: the tools of a server, the skills of an
 * agent, the text of a skill. The descriptor of a type says what it has.
 */
export function definitionsOf(entity: JsonObject): Definitions {
  const found = new Map<string, Definition>();
  const put = (name: string, definition: Definition) => {
    let key = name;
    for (let count = 2; found.has(key); count++) key = `${name}~${count}`;
    found.set(key, definition);
  };
  const defined = isEntityType(entity.type) ? ENTITY_TYPE_TABLE[entity.type].definitions : null;
  const listed = defined !== null && 'list' in defined ? entity[defined.list] : [];
  for (const item of Array.isArray(listed) ? listed.filter(isJsonObject) : []) {
    const defining = DEFINING.filter((field) => item[field] !== undefined && item[field] !== null);
    put(String(item.name ?? item.id ?? ''), Object.fromEntries(defining.map((field) => [field, item[field]])));
  }
  if (defined !== null && 'fields' in defined) {
    put(String(entity.name), Object.fromEntries(defined.fields.map((field) => [field, entity[field]])));
  }
  return Object.fromEntries(found);
}

/** The differences, sorted by name. Null if there are none. */
export function compareDefinitions(before: Definitions, after: Definitions, since: string): Drift | null {
  const names = (definitions: Definitions) => Object.keys(definitions).sort();
  const added = names(after).filter((name) => !Object.hasOwn(before, name));
  const removed = names(before).filter((name) => !Object.hasOwn(after, name));
  const changed = names(after).flatMap((name) => {
    if (!Object.hasOwn(before, name)) return [];
    const [was, is] = [before[name], after[name]];
    if (canonicalJson(was) === canonicalJson(is)) return [];
    const changes = differences(was, is, '').slice(0, MAX_CHANGES);
    return [{ name, digest: { before: digestOf(was), after: digestOf(is) }, changes }];
  });
  return added.length + removed.length + changed.length === 0 ? null : { since, added, removed, changed };
}

function differences(before: unknown, after: unknown, at: string): Change[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => differences(before[key], after[key], at === '' ? key : `${at}.${key}`));
  }
  if (canonicalJson(before ?? null) === canonicalJson(after ?? null)) return [];
  return [{ at, ...shortened(shown(before), shown(after)) }];
}

const shown = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : canonicalJson(value);

/** Both texts around the first difference. */
function shortened(before: string, after: string): Pick<Change, 'before' | 'after'> {
  let same = 0;
  while (same < before.length && same < after.length && before[same] === after[same]) same++;
  const from = Math.max(0, same - SHOWN_CHARS / 4);
  const cut = (text: string) =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + SHOWN_CHARS)}${text.length > from + SHOWN_CHARS ? '…' : ''}`;
  return { before: cut(before), after: cut(after) };
}

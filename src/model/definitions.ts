import { isEntityType } from './entity-parts/names.ts';
import { ENTITY_TYPE_TABLE } from './entity-types/table.ts';
import { isJsonObject, type JsonObject } from './json/json-object.ts';

/** The definition of a tool of a server, or of a skill of an agent. */
export type Definition = JsonObject;
/** By name; a second of the same name is `name~2`. */
export type Definitions = Readonly<Record<string, Definition>>;

/** The fields that a model reads. Icons and the like are ignored. */
const DEFINING = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'tags', 'examples'];

/** JSON with sorted keys: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const pairs = Object.entries(value).filter(([, item]) => item !== undefined);
  pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
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

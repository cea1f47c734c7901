import { idOf } from '../entity-parts/entity-id.ts';
import { type Field, type Unit, type UnitKind, uniqueKeys, unitId } from '../entity-parts/unit.ts';
import { chunkText } from '../text/chunks.ts';
import { identifierText, withoutMarks } from '../text/identifiers.ts';
import { flattenMetadata, representativeQueries } from '../text/metadata-text.ts';
import type { ListedTool } from './descriptor.ts';
import type { AnyEntity } from './fields.ts';

/**
 * Sentence models read a few hundred tokens; more text only costs time. So the most telling parts come first in the text to
 * embed: the tools of a large server must not push out its sample queries.
 */
const EMBED_MAX_CHARS = 4000;

export function joined(separator: string, ...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(separator);
}

export const labeled = (label: string, values: readonly string[]): string =>
  values.length === 0 ? '' : `${label}: ${values.join(', ')}`;

export function makeUnit(
  entity: AnyEntity,
  key: string,
  kind: UnitKind,
  title: string,
  fields: Partial<Record<Field, string>>,
  embed: readonly string[],
): Unit {
  const id = idOf(entity);
  const present: Partial<Record<Field, string>> = {};
  for (const [field, text] of Object.entries(fields)) if (text !== '') present[field as Field] = withoutMarks(text);
  return {
    id: unitId(id, key),
    entity: id,
    key,
    kind,
    title,
    fields: present,
    embedText: joined('\n', ...embed).slice(0, EMBED_MAX_CHARS),
  };
}

/** The card of an entity: the common fields, plus those of the type. `identifiers`: addresses and package names. */
export function cardOf(
  entity: AnyEntity,
  extra: Partial<Record<Field, string>>,
  embed: readonly string[],
  identifiers: readonly (string | undefined)[] = [],
): Unit {
  const fields = {
    name: entity.name,
    path: entity.path,
    description: entity.description,
    tags: entity.tags.join('\n'),
    ...extra,
  };
  const card = makeUnit(entity, 'card', 'card', entity.name === '' ? entity.path : entity.name, fields, embed);
  const marked = identifierText(identifiers);
  if (marked === '') return card;
  return { ...card, fields: { ...card.fields, body: joined('\n', card.fields.body, marked) } };
}

/** The start of the text to embed of most cards. */
export const introOf = ({ name, description, tags, metadata }: AnyEntity): readonly string[] => [
  name,
  description,
  labeled('Tags', tags),
  ...representativeQueries(metadata),
];

/** The property names and descriptions of a JSON Schema, with nested objects and array items. */
export function schemaText(schema: unknown): string {
  const words: string[] = [];
  collectSchemaWords(schema, words, 0);
  return words.join('\n');
}

const DEEPEST_PROPERTY = 5;

function collectSchemaWords(schema: unknown, words: string[], depth: number): void {
  if (schema === null || typeof schema !== 'object' || depth >= DEEPEST_PROPERTY) return;
  const { properties, items } = schema as { properties?: unknown; items?: unknown };
  if (properties !== null && typeof properties === 'object') {
    for (const [name, property] of Object.entries(properties)) {
      const description = (property as { description?: unknown } | null)?.description;
      if (name !== '') words.push(name);
      if (typeof description === 'string' && description !== '') words.push(description);
      collectSchemaWords(property, words, depth + 1);
    }
  }
  if (items !== undefined) collectSchemaWords(items, words, depth + 1);
}

/** A tool of a server, or a skill of an agent. */
interface ListedPart extends ListedTool {
  readonly id?: string;
  /** Default: those of the entity. */
  readonly tags?: readonly string[];
}

export function partUnits(
  entity: AnyEntity,
  kind: 'tool' | 'agent_skill',
  parts: readonly ListedPart[],
): readonly Unit[] {
  const keys = uniqueKeys(kind, parts);
  return parts.map(({ name, title = '', description, tags, inputSchema, examples = [] }, i) => {
    const fields = {
      name,
      path: entity.path,
      description,
      tags: (tags ?? entity.tags).join('\n'),
      metadata: joined('\n', entity.name, title),
      parameters: schemaText(inputSchema),
      body: examples.join('\n'),
    };
    const embed = [`${entity.name}: ${name}`, title, description, labeled('Tags', tags ?? []), ...examples];
    return makeUnit(entity, keys[i]!, kind, name, fields, embed);
  });
}

export const partLines = (parts: readonly ListedTool[]): string =>
  parts.map(({ name, description }) => joined(' ', name, description)).join('\n');

/** A short text is part of the card. A long one becomes separate chunks. */
export function textUnits(entity: AnyEntity, text: string): readonly Unit[] {
  const metadata = flattenMetadata(entity.metadata);
  const chunks = chunkText(text);
  const whole = chunks.length === 1 ? chunks[0]! : '';
  const card = cardOf(entity, { metadata, body: whole }, [
    entity.name,
    entity.description,
    whole,
    labeled('Tags', entity.tags),
  ]);
  if (chunks.length < 2) return [card];
  const units = chunks.map((chunk, i) =>
    makeUnit(
      entity,
      `chunk:${i}`,
      'chunk',
      `${card.title} (part ${i + 1} of ${chunks.length})`,
      { metadata: entity.name, body: chunk },
      [entity.name, chunk],
    ),
  );
  return [card, ...units];
}

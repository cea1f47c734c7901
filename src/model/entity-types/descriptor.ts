import type { z } from 'zod';
import type { Unit } from '../unit.ts';
import type { AnyEntity } from './shared-fields.ts';

/** A tool that an entity lists, whatever the entity calls the fields. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: Record<string, unknown> | undefined;
  readonly examples?: readonly string[];
}

/** A text that a model reads, and where it is. */
export interface NamedText {
  /** The field, as a dot path: `description`, `tools.3.description`. */
  readonly field: string;
  /** What the text belongs to: the entity's own name, or the tool's. */
  readonly name: string;
  readonly text: string;
}

/**
 * - `capability`: an agent calls or loads it. MCP tools search these by default, and the catalog summary describes them.
 * - `reference`: something to look up. The catalog summary counts these.
 * - `content`: text that somebody stored. Lists do not search it, and the catalog summary only says that there is some.
 */
export type EntityRole = 'capability' | 'reference' | 'content';

/**
 * Everything that depends on the type of an entity, once for each type. `table.ts` has them all. What only one other folder
 * needs is a table of that folder, checked against `EntityType` in the same way: `registry/search/hits.ts`,
 * `standards/ard-types.ts`.
 */
export interface EntityTypeDescriptor<E extends AnyEntity> {
  readonly schema: z.ZodType<E>;
  readonly role: EntityRole;
  /** For people: one of them, several of them. */
  readonly words: readonly [one: string, several: string];
  /** The field of a search answer that has the hits of this type. Beside it is `total_<group>`. */
  readonly group: string;
  /** The shape of those hits. */
  readonly hit: z.ZodObject;
  /** Every unit, card first. Pure: the same entity always gives the same units. */
  units(entity: E): readonly Unit[];
  /** The tools that it lists; null for a type that lists none. */
  readonly tools: ToolLister<E> | null;
  /** What is compared with what was accepted, to detect drift; null for a type that is not watched. */
  readonly definitions: ListedDefinitions | OwnDefinition | null;
  /** What paths begin with. People leave it out of URLs. */
  readonly pathPrefix: string;
  /** Where it is reached. Two entities with the same address are duplicates. */
  addresses(entity: E): readonly (string | undefined)[];
  /** What a list query looks at, beside name, description, tags and metadata. */
  listWords(entity: E): readonly string[];
  /** Texts that may hide an instruction, beside name and description. */
  texts(entity: E): readonly NamedText[];
  /** What an answer shows when the entity as a whole was found. */
  cardText(entity: E): string;
}

export interface ToolLister<E> {
  list(entity: E): readonly ListedTool[];
  /** Whether the tools of a found entity are hits of their own, with their schemas. Else its matching tools have the schemas. */
  readonly areHits: boolean;
}

/** Each item of a field, by its name. `word` is what people call one. */
export interface ListedDefinitions {
  readonly list: string;
  readonly word: string;
}

/** These fields of the entity itself. */
export interface OwnDefinition {
  readonly fields: readonly string[];
}

/** A type without parts, addresses and prefix. A descriptor spreads it and says what differs. */
export const PLAIN = {
  tools: null,
  definitions: null,
  pathPrefix: '/',
  addresses: () => [],
  listWords: () => [],
  texts: () => [],
  cardText: ({ description }: AnyEntity) => description,
} as const;

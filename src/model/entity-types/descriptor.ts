import type { z } from 'zod';
import type { Unit } from '../entity-parts/unit.ts';
import type { AnyEntity } from './fields.ts';
import type { ToolDefinition } from './tool-definition.ts';

/** A tool of a server, in the same shape for every type that lists tools. */
export interface ListedTool extends ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: Record<string, unknown> | undefined;
  readonly examples?: readonly string[];
}

/** A text for models, and its place. */
export interface NamedText {
  /** The field, as a dot path: `description`, `tools.3.description`. */
  readonly field: string;
  /** The name of the entity or of the tool. */
  readonly name: string;
  readonly text: string;
}

/**
 * - `capability`: an agent calls or loads it. MCP tools search these by default, and the catalog summary describes them.
 * - `reference`: something to look up. The catalog summary counts these.
 * - `content`: stored text. Lists do not search it, and the catalog summary only says that there is some.
 */
export type EntityRole = 'capability' | 'reference' | 'content';

/**
 * Everything that depends on the type of an entity. `table.ts` has one for each type. A table that only one folder needs stays
 * in that folder, checked against `EntityType` in the same way: `registry/search/hits.ts`, `standards/ard/ard-types.ts`.
 */
export interface EntityTypeDescriptor<E extends AnyEntity> {
  readonly schema: z.ZodType<E>;
  readonly role: EntityRole;
  /** For people. */
  readonly words: readonly [singular: string, plural: string];
  /** The field of a search answer with the hits of this type. Their number is in `total_<group>`. */
  readonly group: string;
  /** The schema of a hit. */
  readonly hit: z.ZodObject;
  /** All units, card first. The same entity always gives the same units. */
  units(entity: E): readonly Unit[];
  /**
   * The tools of an entity; null for a type without tools. `areHits`: a search answer has the matching tools as hits, with
   * their schemas. Else the schemas are in the `matching_tools` of the entity's hit.
   */
  readonly tools: { list(entity: E): readonly ListedTool[]; readonly areHits: boolean } | null;
  /**
   * What drift detection compares: the items of a list, where `word` is the word for one, or fields of the entity itself.
   * Null for a type without drift detection.
   */
  readonly definitions:
    | { readonly list: string; readonly word: string }
    | { readonly fields: readonly string[] }
    | null;
  /** The start of every path. Callers may leave it out. */
  readonly pathPrefix: string;
  /** The URLs of an entity. Two entities with the same URL are duplicates. */
  addresses(entity: E): readonly (string | undefined)[];
  /** Text for list queries, besides name, description, tags and metadata. */
  listWords(entity: E): readonly string[];
  /** Texts to check for prompt injection, besides name and description. */
  texts(entity: E): readonly NamedText[];
  /** The text that a search answer shows when the card matched. */
  cardText(entity: E): string;
}

/** Defaults: no tools, no URLs, no prefix. A descriptor spreads these and overrides what differs. */
export const PLAIN = {
  tools: null,
  definitions: null,
  pathPrefix: '/',
  addresses: () => [],
  listWords: () => [],
  texts: () => [],
  cardText: ({ description }: AnyEntity) => description,
} as const;

import { type Entity, type EntityId, idOf, splitEntityId } from '../../model/entity.ts';
import { ENTITY_TYPE_TABLE } from '../../model/entity-types/table.ts';
import { instructionWarning, promptLikeParts } from '../../model/prompt-scan/prompt-like.ts';

/** The annotation with the texts of an entity that read like instructions to a model. Found when the entity is written. */
export const INSTRUCTIONS_KEY = 'instructions';

export interface InstructionLike {
  readonly field: string;
  readonly phrase: string;
}

/** The entities with such texts. */
export type Instructions = ReadonlyMap<EntityId, readonly InstructionLike[]>;

/** Texts that are kept of one entity. */
const MAX_KEPT = 5;

/** For a write of the entity. Null removes the note of an earlier version. */
export function instructionNote(entity: Entity): Readonly<Record<string, unknown>> {
  const parts: InstructionLike[] = [];
  for (const { field, phrase } of promptLikeParts(entity)) if (parts.length < MAX_KEPT) parts.push({ field, phrase });
  return { [INSTRUCTIONS_KEY]: parts.length === 0 ? null : parts };
}

/** What to tell a reader of an entity: its texts that read like instructions, and the definitions that were not accepted. */
export function entityWarnings(
  entity: Entity,
  {
    instructions = [],
    changed = [],
  }: { instructions?: readonly InstructionLike[] | undefined; changed?: Iterable<string> | undefined },
): string[] {
  const warnings: string[] = [];
  const id = idOf(entity);
  for (const { field, phrase } of instructions) warnings.push(instructionWarning(`'${field}' of ${id}`, phrase));
  const names = [...changed];
  if (names.length > 0) warnings.push(changedWarning(names));
  return warnings;
}

const MAX_NAMED = 5;

export function changedWarning(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `Changed since it was accepted: ${names.slice(0, MAX_NAMED).join(', ')}${more}. Check it before you use it.`;
}

/** Entities whose texts are named in the warnings of one answer. */
export const MAX_WARNED = 5;

/** The warnings of an answer that shows several entities: one for each, and the number of those that are not named. */
export function answerWarnings(shown: readonly Entity[], instructions: Instructions): string[] {
  const flagged = shown.filter((entity) => instructions.has(idOf(entity)));
  const warnings = flagged
    .slice(0, MAX_WARNED)
    .flatMap((entity) => entityWarnings(entity, { instructions: instructions.get(idOf(entity))!.slice(0, 1) }));
  const others = flagged.length - MAX_WARNED;
  return others > 0 ? [...warnings, `Others with text that reads like an instruction: ${others}.`] : warnings;
}

/**
 * The ids of the entities with such texts that an answer names, in the order of the answer: by path, by `/server#tool`, and by
 * the hash or id at the end of the path of a memory or a document. An answer may have any shape. It names nothing that it does not
 * show, but a path of two entities names both, so the caller has to check what may be read.
 */
export function entitiesNamed(answer: unknown, instructions: Instructions): readonly EntityId[] {
  if (instructions.size === 0) return [];
  const spelled = spellingsOf(instructions);
  const found = new Set<EntityId>();
  const open: unknown[] = [answer];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') {
      if (value.length <= MAX_SPELLING) for (const id of spelled.get(nameIn(value)) ?? []) found.add(id);
    } else if (typeof value === 'object' && value !== null) {
      // Last in, first out: the first value is looked at first.
      const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
      for (let at = values.length - 1; at >= 0; at--) open.push(values[at]);
    }
  }
  return [...found];
}

/** A path with the name of a tool. */
const MAX_SPELLING = 1200;

function nameIn(value: string): string {
  const tool = value.indexOf('#');
  return tool > 0 ? value.slice(0, tool) : value;
}

type Spellings = ReadonlyMap<string, readonly EntityId[]>;
/** Made once for each state of the notes. */
const spellings = new WeakMap<Instructions, Spellings>();

function spellingsOf(instructions: Instructions): Spellings {
  const known = spellings.get(instructions);
  if (known !== undefined) return known;
  const made = new Map<string, EntityId[]>();
  const add = (name: string, id: EntityId) => made.set(name, [...(made.get(name) ?? []), id]);
  for (const id of instructions.keys()) {
    const { type, path } = splitEntityId(id);
    add(path, id);
    add(path.slice(1), id);
    if (ENTITY_TYPE_TABLE[type].role === 'content' && path.lastIndexOf('/') > 0)
      add(path.slice(path.lastIndexOf('/') + 1), id);
  }
  spellings.set(instructions, made);
  return made;
}

import { type Entity, type EntityId, idOf } from '../../model/entity.ts';
import { instructionWarning, promptLikeParts } from '../../model/prompt-like.ts';

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

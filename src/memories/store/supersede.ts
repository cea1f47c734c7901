import { DowserError } from '../../model/errors/errors.ts';
import { checkMaySupersede } from '../contract/source-class.ts';
import { hashAt, type MemoryEntity, placeOf } from '../contract/to-memory.ts';

function invalid(message: string, field: string, hint: string): DowserError {
  return new DowserError('INVALID_REQUEST', message, { field, hint });
}

const inWords = (memory: MemoryEntity): string => {
  const { namespace, owner } = placeOf(memory);
  if (namespace !== undefined) return `the namespace '${namespace}'`;
  return owner === undefined ? 'no namespace' : 'no namespace, and private';
};

/** Throws unless the second memory may supersede the first. A successor is current, so a circle is not possible. */
export function checkSupersede(old: MemoryEntity, successor: MemoryEntity, fields: { old: string; by: string }): void {
  if (old.path === successor.path) {
    throw invalid('A memory cannot supersede itself.', fields.old, 'Write the new content in other words.');
  }
  if (old.superseded !== undefined) {
    const by = hashAt(old.superseded.by);
    throw invalid(`The memory is already superseded by ${by}.`, fields.old, 'Supersede that one, or undo it first.');
  }
  if (successor.superseded !== undefined) {
    const by = hashAt(successor.superseded.by);
    throw invalid(
      `The new memory is itself superseded by ${by}${by === hashAt(old.path) ? ', which would be a circle' : ''}.`,
      fields.by,
      'Undo that first, or write the new fact in other words, with its date.',
    );
  }
  // A caller who may not read the successor would lose the fact.
  const [before, after] = [placeOf(old), placeOf(successor)];
  if (before.namespace !== after.namespace || before.owner !== after.owner) {
    throw invalid(
      `The old memory is in ${inWords(old)}, the new one in ${inWords(successor)}.`,
      fields.old,
      'Store the new memory with the same readers.',
    );
  }
  checkMaySupersede(successor.source_class, old.source_class);
}

/** Both memories as they are stored when the second supersedes the first. */
export function superseding(
  old: MemoryEntity,
  successor: MemoryEntity,
  { now, reason = '' }: { readonly now: string; readonly reason?: string | undefined },
): readonly [MemoryEntity, MemoryEntity] {
  const from = successor.valid_from ?? now;
  const ended = old.invalid_at !== undefined && Date.parse(old.invalid_at) < Date.parse(from) ? old.invalid_at : from;
  const superseded = {
    by: successor.path,
    at: now,
    reason,
    previous_status: old.status,
    ...(old.invalid_at === undefined ? {} : { previous_invalid_at: old.invalid_at }),
  };
  return [
    { ...old, status: 'deprecated', invalid_at: ended, superseded },
    { ...successor, supersedes: [...new Set([...successor.supersedes, old.path])] },
  ];
}

/** Both memories as they were before. */
export function restoring(
  old: MemoryEntity,
  successor: MemoryEntity | undefined,
): readonly [MemoryEntity, ...MemoryEntity[]] {
  const { superseded, invalid_at: _ended, ...rest } = old;
  if (superseded === undefined) {
    throw invalid('The memory is not superseded.', 'content_hash', 'There is nothing to undo.');
  }
  const { previous_status: status, previous_invalid_at: before } = superseded;
  const restored: MemoryEntity = { ...rest, status, ...(before === undefined ? {} : { invalid_at: before }) };
  if (successor === undefined) return [restored];
  return [restored, { ...successor, supersedes: successor.supersedes.filter((path) => path !== old.path) }];
}

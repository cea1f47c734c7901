import { type EntityId, idOf, type ParsedEntity, parseEntity } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { yieldToSearches } from '../../turns/search-turns.ts';

/** Entities of the usual size take a millisecond each, documents of a hundred pages a hundred times that. */
const STEP = 4;
const STEP_MS = 2;

/** Runs `work` for each item in order. Other requests can run after every few: a batch may have megabytes of text. */
export async function inSteps<T, R>(items: readonly T[], work: (item: T, at: number) => R): Promise<R[]> {
  const results: R[] = [];
  let start = performance.now();
  for (const [at, item] of items.entries()) {
    results.push(work(item, at));
    // After the last one too: the next step of a write is as long.
    if ((at + 1) % STEP === 0 || performance.now() - start > STEP_MS) {
      await yieldToSearches();
      start = performance.now();
    }
  }
  return results;
}

/** Parses the entities of a write. The errors of a batch name the entity. */
export async function parseAll(inputs: readonly unknown[], batch: boolean): Promise<readonly ParsedEntity[]> {
  const seen = new Map<EntityId, number>();
  return inSteps(inputs, (input, at) => {
    const one = batch ? parseInBatch(input, at) : parseEntity(input);
    const id = idOf(one.entity);
    const earlier = seen.get(id);
    if (earlier !== undefined) {
      throw new DowserError('DUPLICATE_PATH', `Entities ${earlier} and ${at} of the batch are both ${id}.`, {
        field: `entities.${at}.path`,
        hint: 'Name each entity once in a batch; nothing of this batch was stored.',
      });
    }
    seen.set(id, at);
    return one;
  });
}

function parseInBatch(input: unknown, at: number): ParsedEntity {
  try {
    return parseEntity(input);
  } catch (error) {
    throw error instanceof DowserError ? inBatch(error, at) : error;
  }
}

/** The same error with the place of its entity. */
export function inBatch(error: DowserError, at: number): DowserError {
  return new DowserError(error.code, `Entity ${at} of the batch: ${error.message}`, {
    field: error.field === undefined ? `entities.${at}` : `entities.${at}.${error.field}`,
    hint: error.ownHint ?? 'Correct it and send the batch again; nothing of this batch was stored.',
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}

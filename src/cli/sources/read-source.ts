import { type EntityId, entityId, splitEntityId } from '../../model/entity.ts';
import { type DowserError, type ErrorCode, toDowserError } from '../../model/errors/errors.ts';
import { stated } from '../../model/json/json-object.ts';
import type { KnownSource, ObservationInput, Observed } from '../../registry/contract/observation.ts';
import type { Source } from '../../sources/source.ts';
import { tellsChanges } from './reading-plan.ts';

/** One transaction each, and well under the body limit of a server. */
const BATCH_ENTITIES = 500;
const BATCH_CHARS = 3_000_000;

export interface SourceProblem {
  /** Which part of the source; '' is the source itself. */
  readonly part: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** An error as a part of a report. Hints for users of the library are left out. */
function problemOf({ code, message, ownHint: hint }: DowserError, part = ''): SourceProblem {
  return { part, code, message, hint };
}

export interface SourceReport {
  readonly kind: string;
  readonly title: string;
  /** The worst result. `failed`: the source could not be read and has no entities. `dead`: it had some. */
  readonly state: 'added' | 'updated' | 'unchanged' | 'drift' | 'dead' | 'failed';
  readonly results: readonly Observed[];
  readonly problems: readonly SourceProblem[];
  readonly skipped: readonly { readonly part: string; readonly reason: string }[];
  /** Warnings about entities that were stored. */
  readonly warnings: readonly { readonly part: string; readonly message: string }[];
}

/** The report of a source that could not be opened. */
export function failedReport(kind: string, title: string, error: DowserError): SourceReport {
  const problems = [problemOf(error)];
  return { kind, title, state: 'failed', results: [], problems, skipped: [], warnings: [] };
}

export interface ReadOptions {
  readonly observe: (observation: ObservationInput) => Promise<readonly Observed[]>;
  /** The last reading of this source, if any. */
  readonly known: KnownSource | undefined;
  /** Only changes are read: an entity that is not listed still exists. */
  readonly incremental?: boolean;
  readonly takeOver: boolean;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly onItem?: (part: string) => void;
}

type Given = NonNullable<ObservationInput['entities']>[number];

/** Why an entity is dead that its source no longer lists. */
const GONE = 'The source no longer has it.';

/**
 * Reads a source and stores its entities in batches. A part that fails is reported and does not stop the others. Entities
 * that the source no longer lists are marked as dead. Throws only errors of the registry.
 */
export async function readSource(source: Source, options: ReadOptions): Promise<SourceReport> {
  const { known, signal } = options;
  const results: Observed[] = [];
  const problems: SourceProblem[] = [];
  const skipped: { part: string; reason: string }[] = [];
  const warnings: { part: string; message: string }[] = [];
  const told = new Set<string>();
  let batch: Given[] = [];
  let withdrawn: EntityId[] = [];
  let chars = 0;

  const send = async (part: Partial<ObservationInput>) => {
    const { kind, locator, live } = source;
    const flags = { live, take_over: options.takeOver, dry_run: options.dryRun };
    results.push(...(await options.observe({ source: { kind, locator }, ...flags, ...part })));
  };
  const flush = async () => {
    const waiting = { entities: batch, withdrawn: withdrawn.map(splitEntityId) };
    batch = [];
    withdrawn = [];
    chars = 0;
    if (waiting.entities.length + waiting.withdrawn.length > 0) await send(waiting);
  };
  const fail = (part: string, error: DowserError) => problems.push(problemOf(error, part));

  const startedAt = new Date().toISOString();
  let whole = true;
  const items = source.read(signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await items.next().catch((thrown: unknown) => {
        signal.throwIfAborted();
        whole = false;
        fail('', toDowserError(thrown));
        return null;
      });
      if (next === null || next.done === true) break;
      const item = next.value;
      told.add(item.part);
      options.onItem?.(item.part);
      if ('entity' in item) {
        const { part, entity, updatedAt: updated_at, versions } = item;
        batch.push({ part, entity, ...stated({ updated_at, versions: versions && [...versions] }) });
        chars += JSON.stringify([entity, versions]).length;
        warnings.push(...item.warnings.map((message) => ({ part, message })));
      } else if ('problem' in item) fail(item.part, item.problem);
      else if ('skipped' in item) skipped.push({ part: item.part, reason: item.skipped });
      else withdrawn.push(item.withdrawn);
      if (batch.length >= BATCH_ENTITIES || chars > BATCH_CHARS) await flush();
    }
  } finally {
    // If the registry fails, leave no program running and no connection open.
    await items.return?.();
  }
  await flush();

  const read = { told, problems, whole, incremental: options.incremental === true };
  const gone = goneFrom(source, known, read);
  for (let from = 0; from < gone.length; from += BATCH_ENTITIES) {
    await send({ withdrawn: gone.slice(from, from + BATCH_ENTITIES) });
  }
  const missing = source.isGone === undefined ? missingOf(source, known, read) : [];
  for (let from = 0; from < missing.length; from += BATCH_ENTITIES) {
    await send({ missing: missing.slice(from, from + BATCH_ENTITIES) });
  }
  // Only now: after a reading that ended early, the next one starts from the same time.
  if (whole && tellsChanges(source.kind)) {
    await send({ reading: { started_at: startedAt, full: options.incremental !== true } });
  }
  for (const { part, state, notes, code = 'INVALID_REQUEST' } of results) {
    if (state === 'refused') problems.push({ part, code: code as ErrorCode, message: notes.join(' ') });
    else if (state !== 'dead') warnings.push(...notes.map((message) => ({ part, message })));
  }
  const { kind, title } = source;
  return { kind, title, state: stateOf(results, problems, whole), results, problems, skipped, warnings };
}

interface Told {
  readonly told: ReadonlySet<string>;
  readonly problems: readonly SourceProblem[];
  readonly whole: boolean;
  readonly incremental: boolean;
}

type Missing = NonNullable<ObservationInput['missing']>[number];

/** A missing or wrong key on this side does not mean that a server is dead. */
const OUR_FAULTS: readonly ErrorCode[] = ['INVALID_SETTING', 'FORBIDDEN'];

/** Entities of the last reading that are missing now, with the reason. A directory that cannot be read says nothing about its entries. */
function missingOf(source: Source, known: KnownSource | undefined, read: Told): readonly Missing[] {
  const innocent = new Set(read.problems.filter(({ code }) => OUR_FAULTS.includes(code)).map(({ part }) => part));
  if (!read.whole && innocent.has('')) return [];
  const reasons = new Map(read.problems.map(({ part, message }) => [part, message]));
  return (known?.entities ?? []).flatMap(({ entity_type: type, path, part }): Missing[] => {
    if (innocent.has(part)) return [];
    const own = read.told.has(part) ? reasons.get(part) : undefined;
    if (own !== undefined) return source.directory ? [] : [{ type, path, error: own.slice(0, 1000) }];
    if (read.told.has(part) || read.incremental) return [];
    if (!read.whole) return source.directory ? [] : [{ type, path, error: (reasons.get('') ?? GONE).slice(0, 1000) }];
    return [{ type, path, error: GONE }];
  });
}

/** Entities of the last reading that the source has deleted since: it is their record. */
function goneFrom({ isGone }: Source, known: KnownSource | undefined, { told, whole }: Told) {
  if (isGone === undefined || !whole) return [];
  return (known?.entities ?? [])
    .filter(({ part }) => !told.has(part) && isGone(part))
    .map(({ entity_type: type, path }) => ({ type, path }));
}

function stateOf(
  results: readonly Observed[],
  problems: readonly SourceProblem[],
  whole: boolean,
): SourceReport['state'] {
  const has = (...states: readonly Observed['state'][]) => results.some(({ state }) => states.includes(state));
  if (has('dead')) return 'dead';
  if (!whole || (problems.length > 0 && !has('added', 'updated', 'unchanged', 'kept'))) return 'failed';
  if (results.some(({ drift }) => drift !== null)) return 'drift';
  if (has('added')) return 'added';
  return has('updated', 'deleted') ? 'updated' : 'unchanged';
}

/** Whether a word of the command line names an entity: `mcp_server:/clock`, `/clock` or `clock`. */
export function isNamedBy(word: string, entity: Pick<Observed, 'entity_type' | 'path'>): boolean {
  return [labelOf(entity), entity.path, entity.path.replace(/^\//, '')].includes(word);
}

/** `mcp_server:/clock` */
export function labelOf({ entity_type, path }: Pick<Observed, 'entity_type' | 'path'>): string {
  return entity_type === null ? path : entityId(entity_type, path);
}

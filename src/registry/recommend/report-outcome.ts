import type { Store } from '../../engines/store.ts';
import type { GraphStore } from '../../graph/graph-store.ts';
import { type EntityId, idOf } from '../../model/entity.ts';
import { parseWith } from '../../model/parse/parse.ts';
import {
  CO_USE,
  type CoUseReport,
  coUseEdge,
  type DailyLimit,
  keepFairly,
  MAX_REPORTS_PER_DAY,
} from '../../recommend/co-use.ts';
import { type OutcomeReport, type OutcomeRequest, outcomeRequestSchema } from '../contract/outcome-schemas.ts';
import { type NamingParts, nodesNamed } from '../graph/nodes-named.ts';
import { type ResolvedNode, resolveNodes } from '../graph/resolve-nodes.ts';

/** Reports are notes on entities, beside their ratings: they go with the entity. */
const NOTE = CO_USE;

export interface OutcomeParts extends Pick<NamingParts, 'view'> {
  /** As the caller may read it. */
  readonly store: Store;
  readonly edges: GraphStore;
  readonly limit: DailyLimit;
  readonly callerKey: string;
  readonly now: () => number;
}

/**
 * Learns what is used together. A success counts each pair once for a caller; a failure or a replacement takes back what the
 * caller reported of the tool. An edge exists while enough callers report the pair.
 */
export async function reportOutcome(parts: OutcomeParts, input: OutcomeRequest): Promise<OutcomeReport> {
  const { chosen_tool, outcome, used_with } = parseWith(outcomeRequestSchema, input, 'outcome');
  const [chosen, ...others] = await nodesNamed(parts, [chosen_tool, ...used_with]);
  const usedWith = new Map(others.map(({ node, found }) => [node, found]));
  usedWith.delete(chosen!.node);
  const pairs = Array.from(usedWith, ([node, found]) => ({
    ends: pairOf(chosen!.node, node),
    // Not before either was registered, also where two servers have different clocks.
    at: Math.max(parts.now(), sinceOf(chosen!.found), sinceOf(found)),
  }));
  const holder = holderOf(chosen!.found);
  return parts.store.inTurn(async () => {
    const before = await reportsOf(parts.store, [holder]);
    const isOwn = ({ by, a, b }: CoUseReport) => by === parts.callerKey && (a === chosen!.node || b === chosen!.node);
    if (outcome === 'failure' || outcome === 'replaced') {
      const kept = before.filter((report) => !isOwn(report));
      await save(parts, holder, before, kept);
      return { counted: 0, withdrawn: before.length - kept.length, warnings: [] };
    }
    if (outcome === 'pending') return { counted: 0, withdrawn: 0, warnings: [] };
    if (!parts.limit.knows(parts.callerKey, parts.now())) {
      parts.limit.resume(parts.callerKey, await allReports(parts.store), parts.now());
    }
    let after = before;
    let counted = 0;
    for (const {
      ends: [a, b],
      at,
    } of pairs) {
      if (!parts.limit.take(parts.callerKey, parts.now())) break;
      const rest = after.filter((one) => !(one.by === parts.callerKey && one.a === a && one.b === b));
      after = [...rest, { a, b, by: parts.callerKey, at }];
      counted += 1;
    }
    await save(parts, holder, before, keepFairly(after));
    const isOver = counted < pairs.length;
    const warnings = isOver ? [`Only ${MAX_REPORTS_PER_DAY} reports of one caller count on one day.`] : [];
    return { counted, withdrawn: 0, warnings };
  });
}

const pairOf = (a: EntityId, b: EntityId): readonly [EntityId, EntityId] => (a < b ? [a, b] : [b, a]);

/** A tool of a server has no notes of its own. */
const holderOf = ({ entity }: ResolvedNode): EntityId => idOf(entity);

const sinceOf = ({ createdAt }: ResolvedNode): number => Date.parse(createdAt);

/** Reports are kept with the chosen entity, so those of one pair may be with either of its ends. */
async function reportsOf(store: Store, holders: readonly EntityId[]): Promise<readonly CoUseReport[]> {
  const noted = await store.annotationsOf(holders);
  return holders.flatMap((holder) => {
    const kept = noted.get(holder)?.[NOTE];
    return Array.isArray(kept) ? (kept as readonly CoUseReport[]) : [];
  });
}

async function allReports(store: Store): Promise<readonly CoUseReport[]> {
  const noted = await store.annotated(NOTE);
  return [...noted.values()].flatMap((kept) => (Array.isArray(kept) ? (kept as readonly CoUseReport[]) : []));
}

/** Writes the reports, and the edges of the pairs that changed. */
async function save(
  { store, edges }: OutcomeParts,
  holder: EntityId,
  before: readonly CoUseReport[],
  after: readonly CoUseReport[],
): Promise<void> {
  await store.annotate([{ id: holder, key: NOTE, value: after.length === 0 ? null : after }]);
  const changed = new Map<string, readonly [EntityId, EntityId]>();
  for (const report of [...before, ...after]) {
    if (before.includes(report) && after.includes(report)) continue;
    changed.set(`${report.a} ${report.b}`, [report.a, report.b]);
  }
  const ends = await resolveNodes(store, [...changed.values()].flat());
  for (const pair of changed.values()) {
    const [a, b] = pair;
    const found = pair.flatMap((node) => ends.get(node) ?? []);
    const holders = new Set([holder, ...found.map(holderOf)]);
    // Earlier reports are about something else that was at the path.
    const since = Math.max(0, ...found.map(sinceOf));
    const reports = await reportsOf(store, [...holders]);
    const edge = coUseEdge(reports.filter((one) => one.a === a && one.b === b && one.at >= since));
    if (edge === null) await edges.delete({ provenance: CO_USE, between: [a, b] });
    else await edges.put([edge]);
  }
}

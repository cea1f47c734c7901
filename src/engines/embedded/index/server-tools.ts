import {
  type FoundUnit,
  MAX_TOOLS_SCORED,
  type RetrieveQuery,
  type ServerTools,
  type VectorLeg,
  withPart,
} from '../../../search/retrieval/retrieval.ts';
import { FoundRow, type RowSource } from './found-row.ts';
import type { RowIndex } from './row-index.ts';
import { rowScorer } from './row-scorers.ts';
import type { VectorSpace } from './vector-space.ts';

/** The tools of found servers. Something may have been written since the search, so the index is read as it is now. */
export function toolsOf(
  index: RowIndex,
  query: RetrieveQuery,
  source: RowSource,
  units: readonly FoundUnit[],
): readonly ServerTools[] {
  const { table, boost } = index;
  const { filter, vector: leg, text, parts } = query;
  const eligible = index.eligible(filter);
  const servers: FoundRow[][] = [];
  const all: FoundRow[] = [];
  for (const { entity, group } of units) {
    const own = table.entity(entity);
    const tools: FoundRow[] = [];
    for (const place of own?.units ?? []) {
      if (place.kind !== 'tool' || !eligible.has(place.row)) continue;
      tools.push(new FoundRow(place.row, place, own!, group, 'tool', source));
    }
    servers.push(tools.length > MAX_TOOLS_SCORED ? [] : tools.sort((a, b) => table.compareRows(a.row, b.row)));
    all.push(...servers.at(-1)!);
  }
  const rows = all.map(({ row }) => row);
  const { keyword } = index.view(filter);
  const scorer = rowScorer({ keyword, boost, table }, text, parts, query.keyword.scorer);
  const scores = scorer.scoreRows(rows);
  const space = leg === null ? null : index.space(leg.embedder);
  const cosines = leg === null || space === null ? null : cosinesOf(space, leg, rows);
  for (let i = 0; i < all.length; i++) {
    if (scores[i]! > 0) all[i]!.keyword = scores[i]!;
    all[i]!.vector = cosines?.[i] ?? null;
  }
  return servers.map((tools, i) => ({
    name: table.entity(units[i]!.entity)?.units.find(({ kind }) => kind === 'card')?.title ?? '',
    tools,
    cosines: (values) => cosinesOfHeld(tools, values, space),
  }));
}

function cosinesOfHeld(tools: readonly FoundRow[], values: Float32Array, space: VectorSpace | null) {
  if (space === null) return tools.map(() => null);
  const cosines = space.vectors.scoreRows(
    values,
    tools.map(({ row }) => row),
  );
  return tools.map((tool, i) => (tool.isHeld ? cosines[i]! : null));
}

/** Null for a row without a vector. */
export function cosinesOf(
  { vectors }: VectorSpace,
  { values, parts }: VectorLeg,
  rows: readonly number[],
): (number | null)[] {
  const whole = vectors.scoreRows(values, rows);
  if (parts.length === 0) return whole;
  const byPart = parts.map((part) => vectors.scoreRows(part, rows));
  return whole.map((own, i) => {
    const known = byPart.flatMap((part) => part[i] ?? []);
    return own === null || known.length === 0 ? own : withPart.vector(own, Math.max(...known));
  });
}

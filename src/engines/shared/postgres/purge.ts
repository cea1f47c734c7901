import type { Horizon } from '../shared-record.ts';

/** Rows that one statement deletes: no poll waits for long. */
const ROWS_AT_ONCE = 5_000;

/** Rows that only say that something is gone. */
const GONE = [
  ['dowser_entities', 'json IS NULL'],
  ['dowser_annotations', 'value IS NULL'],
  ['dowser_vectors', 'vector IS NULL'],
  ['dowser_edges', 'is_deleted'],
] as const;

/** Comes first, so that no reader counts on what is deleted next. */
export const moveHorizon = ({ ageMs, writes }: Horizon): string =>
  `UPDATE dowser_head SET purged = greatest(purged, seq - ${writes},
    (SELECT max(seq) FROM dowser_writes WHERE at < now() - interval '1 millisecond' * ${ageMs})) RETURNING purged`;

/** Each is asked again until it deletes nothing. The tip of the last forgotten write is kept: a copy may stand there. */
export function purgeSteps(purged: number): readonly string[] {
  const some = (table: string, where: string) =>
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${where} LIMIT ${ROWS_AT_ONCE})) RETURNING 1 AS gone`;
  return [
    some('dowser_writes', `seq < ${purged}`),
    ...GONE.map(([table, isGone]) => some(table, `${isGone} AND seq <= ${purged}`)),
  ];
}

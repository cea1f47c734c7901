import { type Random, randomOf } from '../random.ts';

/** What happens in one round. It depends on the seed alone; when exactly a process dies depends on the machine too. */
export interface RoundPlan {
  readonly random: Random;
  readonly changesModel: boolean;
  /** Kill the server so many milliseconds after its start. Null: let it start. */
  readonly killAtStartMs: number | null;
  readonly backup: 'none' | 'ends' | 'is cut off';
  /** Writes that are answered before the kill. */
  readonly writes: number;
  /** A moment more, to hit any part of the next write. */
  readonly momentMs: number;
  /** Ask the server to stop, and kill it so many milliseconds later. Null: kill it while it serves. */
  readonly killAtStopMs: number | null;
}

/** A start takes about this long. */
const MAX_START_MS = 600;
const MAX_STOP_MS = 60;
const MAX_MOMENT_MS = 15;
const MAX_WRITES = 60;

export function planOf(seed: number, round: number): RoundPlan {
  const random = randomOf(seed * 1_000_003 + round);
  return {
    random,
    changesModel: random.chance(0.3),
    killAtStartMs: random.chance(0.1) ? random.next() * MAX_START_MS : null,
    backup: random.pick(['none', 'none', 'none', 'none', 'none', 'ends', 'ends', 'is cut off']),
    writes: random.int(MAX_WRITES),
    momentMs: random.next() * MAX_MOMENT_MS,
    killAtStopMs: random.chance(0.2) ? random.next() * MAX_STOP_MS : null,
  };
}

import type { Entity } from '../../src/model/entity.ts';
import { Random } from './random.ts';

/** What keeps an entity out of every answer, in turn. */
const REASONS: readonly Partial<Pick<Entity, 'status' | 'is_enabled'>>[] = [
  { status: 'draft' },
  { status: 'deprecated' },
  { is_enabled: false },
];

/** One of this many entities is hidden. */
const ONE_IN = 10;

/**
 * Decides which entities may not be found: of every ten that a topic gets, one, at a place drawn by lot. It has random
 * numbers of its own, so that the corpus is otherwise the same as without it.
 */
export class HiddenLots {
  readonly #random: Random;
  readonly #topics: { seen: number; hiddenAt: number }[];
  #hidden = 0;

  constructor(seed: number, topics: number) {
    this.#random = new Random(~seed);
    this.#topics = Array.from({ length: topics }, () => ({ seen: 0, hiddenAt: 0 }));
  }

  /** For the topic's next entity: the state that hides it, or null. */
  draw(topic: number): (typeof REASONS)[number] | null {
    const lots = this.#topics[topic]!;
    const place = lots.seen % ONE_IN;
    if (place === 0) lots.hiddenAt = this.#random.between(0, ONE_IN - 1);
    lots.seen += 1;
    if (place !== lots.hiddenAt) return null;
    this.#hidden += 1;
    return REASONS[this.#hidden % REASONS.length]!;
  }
}

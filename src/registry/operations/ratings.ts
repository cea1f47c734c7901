import type { Store, StoredEntity } from '../../engines/store.ts';
import type { EntityId } from '../../model/entity.ts';
import { parseWith } from '../../model/parse/parse.ts';
import type { Rating } from '../contract/answers.ts';
import { type Vote, voteSchema } from '../contract/entity-operations.ts';
import type { WriteRule } from '../write/write-rule.ts';

/** Ratings are an annotation: they survive a new version of the entity and are deleted with it. */
const RATINGS_KEY = 'ratings';
const ANONYMOUS = 'anonymous';
/** The limit of the MCP gateway registry. */
const KEPT = 100;

type Details = Rating['rating_details'];

function detailsOf(annotations: Readonly<Record<string, unknown>> | undefined): Details {
  const kept = annotations?.[RATINGS_KEY];
  return Array.isArray(kept) ? (kept as Details) : [];
}

function toRating(details: Details): Rating {
  const total = details.reduce((sum, { rating }) => sum + rating, 0);
  return { num_stars: details.length === 0 ? 0 : total / details.length, rating_details: details };
}

export const ratingOf = (annotations: Readonly<Record<string, unknown>> | undefined): Rating =>
  toRating(detailsOf(annotations));

export async function readRating(store: Store, id: EntityId): Promise<Rating> {
  return ratingOf((await store.annotationsOf([id])).get(id));
}

export interface Voter {
  /** The caller. Absent: the name that the vote has. */
  readonly name?: string | undefined;
  readonly rule: WriteRule;
}

/** Anyone who may write and sees an entity may rate it, once under each name. */
export async function rateEntity(
  store: Store,
  find: () => Promise<StoredEntity>,
  vote: Vote,
  voter: Voter,
): Promise<Rating> {
  const { rating, user = ANONYMOUS } = parseWith(voteSchema, vote, 'vote');
  const name = voter.name ?? user.trim();
  voter.rule.needs('write');
  return store.inTurn(async () => {
    const stored = await find();
    const { id } = stored;
    voter.rule.starts([id], [stored]);
    const before = (await readRating(store, id)).rating_details.filter((detail) => detail.user !== name);
    const details = [...before, { user: name, rating }].slice(-KEPT);
    await store.annotate([{ id, key: RATINGS_KEY, value: details }]);
    return toRating(details);
  });
}

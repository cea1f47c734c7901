import { type EntityType, parseEntityType, STATUSES, type Status } from '../../model/entity.ts';
import { wrongOption } from './context.ts';

/** Options that several commands share, from the text of the command line. */

/** `--type tool --type skill`, or `--type tool,skill`: none of the values has a comma in it. */
const separated = (given: unknown): readonly string[] | undefined =>
  (given as readonly string[] | undefined)?.flatMap((text) => text.split(',')).map((word) => word.trim());

export function toTypes(given: unknown): readonly EntityType[] | undefined {
  return separated(given)?.map(parseEntityType);
}

export function toStatuses(given: unknown): readonly Status[] | undefined {
  return separated(given)?.map((word) => {
    const status = STATUSES.find((known) => known === word.toLowerCase());
    if (status === undefined) throw wrongOption('status', word, `one of ${STATUSES.join(', ')}`);
    return status;
  });
}

/** An empty tag is most often a variable that was not set. Ignoring it would find everything. */
export function toTags(given: unknown): readonly string[] | undefined {
  const tags = given as readonly string[] | undefined;
  if (tags?.some((tag) => tag.trim() === '') === true) throw wrongOption('tag', '', 'a tag');
  return tags;
}

const DEFAULT_LIMIT = 50;

/** `--limit 20` */
export function toLimit(given: unknown, fallback = DEFAULT_LIMIT): number {
  const limit = given === undefined ? fallback : toNumber(given);
  if (Number.isSafeInteger(limit) && limit >= 1) return limit;
  throw wrongOption('limit', given, 'a whole number from 1');
}

/** NaN for anything but a number. */
export const toNumber = (text: unknown): number => (String(text).trim() === '' ? Number.NaN : Number(text));

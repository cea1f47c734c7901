import { type EntityType, parseEntityType, STATUSES, type Status } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';

/** Options that several commands share, from the text that was typed. */

const wrong = (flag: string, value: unknown, expected: string): DowserError =>
  new DowserError('INVALID_REQUEST', `--${flag} is ${showValue(value)}: must be ${expected}.`, { field: flag });

/** `--type tool --type skill`, or `--type tool,skill`: none of the values has a comma in it. */
const separated = (given: unknown): readonly string[] | undefined =>
  (given as readonly string[] | undefined)?.flatMap((text) => text.split(',')).map((word) => word.trim());

export function toTypes(given: unknown): readonly EntityType[] | undefined {
  return separated(given)?.map(parseEntityType);
}

export function toStatuses(given: unknown): readonly Status[] | undefined {
  return separated(given)?.map((word) => {
    const status = STATUSES.find((known) => known === word.toLowerCase());
    if (status === undefined) throw wrong('status', word, `one of ${STATUSES.join(', ')}`);
    return status;
  });
}

/** An empty tag is a variable that was not set, more often than not: left out, it would find everything. */
export function toTags(given: unknown): readonly string[] | undefined {
  const tags = given as readonly string[] | undefined;
  if (tags?.some((tag) => tag.trim() === '') === true) throw wrong('tag', '', 'a tag');
  return tags;
}

/** `--limit 20` */
export function toLimit(given: unknown, fallback: number): number {
  if (given === undefined) return fallback;
  const limit = Number(String(given).trim() === '' ? Number.NaN : given);
  if (!Number.isSafeInteger(limit) || limit < 1) throw wrong('limit', given, 'a whole number from 1');
  return limit;
}

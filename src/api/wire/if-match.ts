import type { WriteCondition } from '../../registry/contract/registry.ts';

/** Headers have lowercase names here. */
type ConditionHeaders = {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
};

const TAG = /(?:W\/)?"([^"]*)"|\*/g;

/** After the tag of the entity, the tag of one answer about it: see `answerTag`. */
const SEPARATOR = '.';

/** The condition of a request. Weak and strong tags are equal here. */
export function fromConditions(headers: ConditionHeaders): WriteCondition {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  return {
    ...(match === undefined ? {} : { ifMatch: toTags(match).map(entityPart) }),
    ...(noneMatch === undefined ? {} : { ifNoneMatch: toTags(noneMatch).map(entityPart) }),
  };
}

export function toConditions({ ifMatch, ifNoneMatch }: WriteCondition = {}): ConditionHeaders {
  return {
    ...(ifMatch === undefined ? {} : { 'if-match': toHeader(ifMatch) }),
    ...(ifNoneMatch === undefined ? {} : { 'if-none-match': toHeader(ifNoneMatch) }),
  };
}

/** Weak: the same entity may be written in more than one way. */
export const toEtag = (tag: string): string => `W/"${tag}"`;

/**
 * The ETag of an answer to a read. It begins with the tag of the entity, which is all that a condition of a write compares: a
 * new rating must not fail the next change. The rest is for `If-None-Match`: an answer may have more than the entity.
 */
export const answerTag = (etag: string, answer: string): string => etag.replace(/"$/, `${SEPARATOR}${answer}"`);

/** Whether `If-None-Match` has the ETag of an answer, so that its reader has the answer already. */
export function isCurrent(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = toTags(ifNoneMatch);
  return tags.includes('*') || tags.includes(toTags(etag)[0]!);
}

/** The tags of `W/"a", "b"`, or `*`. A text that is no tag stays: to ignore a condition would overwrite. */
function toTags(header: string): readonly string[] {
  const tags = [...header.matchAll(TAG)].map(([whole, tag]) => tag ?? whole);
  return tags.length === 0 ? [header.trim()] : tags;
}

const entityPart = (tag: string): string => tag.split(SEPARATOR, 1)[0]!;

function toHeader(condition: string | readonly string[]): string {
  const tags = typeof condition === 'string' ? [condition] : condition;
  return tags.map((tag) => (tag === '*' ? tag : toEtag(tag))).join(', ');
}

import type { z } from 'zod';
import { meantField } from './meant-name.ts';

type RawIssue = z.core.$ZodRawIssue;
type Size = Extract<RawIssue, { readonly code: 'too_big' | 'too_small' }>;

/** What a type is called in a sentence. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a date',
};

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  url: 'an address such as https://example.com',
  datetime: 'a date and time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  safeint: 'a whole number',
  regex: 'text of another form',
};

/** What there may be too many or too few of; numbers themselves have no such word. */
const COUNTED: Readonly<Record<string, string>> = { string: 'character', array: 'item', object: 'field' };

function sizeWords(issue: Size): string {
  const isTooBig = issue.code === 'too_big';
  const limit = Number(isTooBig ? issue.maximum : issue.minimum);
  const counted = COUNTED[issue.origin];
  if (counted === undefined) {
    if (issue.inclusive === false) return `must be ${isTooBig ? 'below' : 'above'} ${limit}`;
    return `must be at ${isTooBig ? 'most' : 'least'} ${limit}`;
  }
  if (!isTooBig && limit === 1) return 'must not be empty';
  const amount = issue.exact === true ? 'exactly' : isTooBig ? 'at most' : 'at least';
  return `must have ${amount} ${limit} ${counted}${limit === 1 ? '' : 's'}`;
}

const MUST_BE = 'must be ';

/** What any of the options asks for, where each asks for one thing. */
function unionWords({ errors = [], options }: { readonly errors?: z.core.$ZodIssue[][]; readonly options?: unknown }) {
  if (Array.isArray(options) && options.length > 0) return `must be one of ${options.map(String).join(', ')}`;
  const wanted = errors.map(([first]) => (first?.path.length === 0 ? first.message : ''));
  if (wanted.length === 0 || !wanted.every((words) => words.startsWith(MUST_BE))) return 'must be of another form';
  return MUST_BE + wanted.map((words) => words.slice(MUST_BE.length)).join(' or ');
}

/** Of several fields that do not exist the first is told. What is there already was not meant by another name. */
function unknownFieldWords({
  keys,
  input = {},
  inst,
}: Extract<RawIssue, { readonly code: 'unrecognized_keys' }>): string {
  // Only objects find fault with their keys. Asked by its definition: this file is used where the library is not loaded.
  const { shape = {} } = (inst as z.core.$ZodObject | undefined)?._zod.def ?? {};
  const fields = Object.keys(shape).filter((field) => !(field in input));
  const meant = meantField(keys[0]!, fields);
  return `there is no such field${meant === undefined ? '' : ` (did you mean '${meant}'?)`}`;
}

/**
 * What is wanted of a value, in our own words: what the schema library would say is for programmers of that library. A schema
 * that has words of its own is not asked here. Each reads on after "'field' is 51: ".
 */
export function issueWords(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPE_WORDS[issue.expected] ?? `of the type ${issue.expected}`}`;
    case 'too_big':
    case 'too_small':
      return sizeWords(issue);
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return `must be ${FORMAT_WORDS[issue.format] ?? `a valid ${issue.format}`}`;
    case 'invalid_union':
      return unionWords(issue);
    case 'unrecognized_keys':
      return unknownFieldWords(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return 'must be something else';
  }
}

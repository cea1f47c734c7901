import type { z } from 'zod';
import { meantField } from './meant-name.ts';

type RawIssue = z.core.$ZodRawIssue;
type UnknownKeys = Extract<RawIssue, { readonly code: 'unrecognized_keys' }>;
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

/** What the value must be, where that is one thing. */
function wantedBy(issue: RawIssue | z.core.$ZodIssue): string | undefined {
  if (issue.code === 'invalid_type') return TYPE_WORDS[issue.expected] ?? `of the type ${issue.expected}`;
  if (issue.code === 'invalid_format') return FORMAT_WORDS[issue.format] ?? `a valid ${issue.format}`;
  if (issue.code !== 'invalid_value') return undefined;
  return `${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
}

/** What any of the options asks for, where each asks for one thing. */
function unionWords({ errors = [], options }: { readonly errors?: z.core.$ZodIssue[][]; readonly options?: unknown }) {
  if (Array.isArray(options) && options.length > 0) return `must be one of ${options.map(String).join(', ')}`;
  const wanted = errors.map(([first]) => (first?.path.length === 0 ? wantedBy(first) : undefined));
  return wanted.length === 0 || wanted.includes(undefined)
    ? 'must be of another form'
    : `must be ${wanted.join(' or ')}`;
}

/** Of several fields that do not exist the first is told. What is there already was not meant by another name. */
function unknownFieldWords({ keys, input = {}, inst }: UnknownKeys, suggestions?: Map<string, string>): string {
  // Only objects find fault with their keys. Asked by its definition: this file is used where the library is not loaded.
  const { shape = {} } = (inst as z.core.$ZodObject | undefined)?._zod.def ?? {};
  const fields = Object.keys(shape).filter((field) => !(field in input));
  const meant = meantField(keys[0]!, fields);
  if (meant !== undefined) suggestions?.set(keys[0]!, meant);
  return `there is no such field${meant === undefined ? '' : ` (did you mean '${meant}'?)`}`;
}

/**
 * What is wanted of a value, in our own words: what the schema library would say is for programmers of that library. A schema
 * that has words of its own is not asked here. Each reads on after "'field' is 51: ". Fields that were probably meant are
 * added to `suggestions`.
 */
export function issueWords(issue: RawIssue, suggestions?: Map<string, string>): string {
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_format':
    case 'invalid_value':
      return `must be ${wantedBy(issue)}`;
    case 'too_big':
    case 'too_small':
      return sizeWords(issue);
    case 'invalid_union':
      return unionWords(issue);
    case 'unrecognized_keys':
      return unknownFieldWords(issue, suggestions);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return 'must be something else';
  }
}

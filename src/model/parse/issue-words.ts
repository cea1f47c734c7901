import type { z } from 'zod';
import { meantField } from '../text/meant-name.ts';

type RawIssue = z.core.$ZodRawIssue;
type UnknownKeys = Extract<RawIssue, { readonly code: 'unrecognized_keys' }>;
type Size = Extract<RawIssue, { readonly code: 'too_big' | 'too_small' }>;

/** The name of a type in a sentence. */
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
  regex: 'text in another format',
};

/** What the size of a value counts. A number has no size. */
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

/** What the value must be, where one word says it. */
function wantedBy(issue: RawIssue | z.core.$ZodIssue): string | undefined {
  if (issue.code === 'invalid_type') return TYPE_WORDS[issue.expected] ?? `of the type ${issue.expected}`;
  if (issue.code === 'invalid_format') return FORMAT_WORDS[issue.format] ?? `a valid ${issue.format}`;
  if (issue.code !== 'invalid_value') return undefined;
  return `${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
}

/** Joins the options of a union, where one word says each. */
function unionWords({ errors = [], options }: { readonly errors?: z.core.$ZodIssue[][]; readonly options?: unknown }) {
  if (Array.isArray(options) && options.length > 0) return `must be one of ${options.map(String).join(', ')}`;
  const wanted = errors.map(([first]) => (first?.path.length === 0 ? wantedBy(first) : undefined));
  return wanted.length === 0 || wanted.includes(undefined) ? 'wrong structure' : `must be ${wanted.join(' or ')}`;
}

/** Reports the first unknown field. A field that is already set cannot be the one that was meant. */
function unknownFieldWords({ keys, input = {}, inst }: UnknownKeys, suggestions?: Map<string, string>): string {
  // Only an object has unknown keys. Read through its definition: this file must not load zod.
  const { shape = {} } = (inst as z.core.$ZodObject | undefined)?._zod.def ?? {};
  const fields = Object.keys(shape).filter((field) => !(field in input));
  const meant = meantField(keys[0]!, fields);
  if (meant !== undefined) suggestions?.set(keys[0]!, meant);
  return `unknown field${meant === undefined ? '' : ` (did you mean '${meant}'?)`}`;
}

/**
 * What a value must be, in plain words. Used unless a schema has its own message. Each follows "'field' is 51: ". Adds the
 * fields that were probably meant to `suggestions`.
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
      return 'not a valid value';
  }
}

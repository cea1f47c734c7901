import { z } from 'zod';
import { wholeNumber } from '../../model/query/query-fields.ts';
import { splitList } from '../../model/text/trim-chars.ts';
import { MAX_LIST_LIMIT } from '../../registry/contract/entity-operations.ts';
import { readJson } from '../wire/json-text.ts';

/** Fields of forms and query strings, as text. In a JSON body they may have their own type. */

const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'on', 'yes'].map((word) => [word, true] as const),
  ...['false', '0', 'off', 'no'].map((word) => [word, false] as const),
]);

export const flag = z.union([z.boolean(), z.string()], 'must be true or false').transform((value, context) => {
  const known = typeof value === 'boolean' ? value : SWITCHES.get(value.trim().toLowerCase());
  if (known !== undefined) return known;
  context.addIssue({ code: 'custom', message: 'must be true or false', input: value });
  return z.NEVER;
});

export function whole(min: number, max: number) {
  return z
    .union([z.number(), z.string()], `must be a whole number from ${min} to ${max}`)
    .transform((value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value))
    .pipe(wholeNumber(min, max));
}

/** A number in a query string. The registry checks its bounds; they are here for OpenAPI. */
export function countText(minimum: number, maximum: number, fallback: number) {
  const bounds = { type: 'integer' as const, minimum, maximum, default: fallback };
  return z.coerce.number('must be a whole number').optional().meta(bounds);
}

/** `a,b` or a list. */
export const commaList = z
  .union([z.array(z.string()), z.string()], 'must be a list of strings, or comma-separated text')
  .transform((value) => (typeof value === 'string' ? splitList(value) : value));

/** Tags as one text: `a,b`. A comma or a backslash in a tag has a backslash before it. */
export const tagList = z
  .string()
  .transform((text) =>
    (text.match(/(?:\\[\\,]|[^,])+/g) ?? [])
      .map((tag) => tag.replaceAll(/\\([\\,])/g, '$1').trim())
      .filter((tag) => tag !== ''),
  );

/** JSON text, or the value itself. */
function jsonField<S extends z.ZodType>(schema: S, name: string) {
  return z
    .union([z.string(), schema], `must be ${name}, or JSON text of ${name}`)
    .transform((value, context): unknown => {
      if (typeof value !== 'string') return value;
      const read = readJson(value);
      if ('value' in read) return read.value;
      context.addIssue({ code: 'custom', message: `the text ${read.problem}`, input: value });
      return z.NEVER;
    })
    .pipe(schema);
}

export const jsonObject = jsonField(z.record(z.string(), z.unknown(), 'must be a JSON object'), 'an object');
export const jsonList = jsonField(z.array(z.unknown(), 'must be a JSON list'), 'a list');

export const pathParams = z.object({
  path: z
    .string()
    .min(1, 'must not be empty')
    .describe('The path, percent-encoded or with plain slashes. The leading slash is optional.'),
});

export const paging = {
  limit: whole(1, MAX_LIST_LIMIT).default(20).describe(`The page size, 1 to ${MAX_LIST_LIMIT}.`),
  offset: whole(0, Number.MAX_SAFE_INTEGER).default(0).describe('How many to skip.'),
};

/** `?metadata_fields=a,b` or `?metadata_fields=a&metadata_fields=b`. */
export const metadataFields = z
  .union([z.string().max(4096), z.array(z.string().max(4096)).max(100)])
  .transform((value) => (typeof value === 'string' ? value : value.join()))
  .optional()
  .describe('The metadata to return, as comma-separated dot paths. May be repeated. Default: all.');

/** The query string of a list. */
export const listFields = {
  query: z.string().max(512).default('').describe('A substring to look for. Ignores case.'),
  metadata_fields: metadataFields,
  ...paging,
};

/** The condition of a write: see `if-match.ts`. */
export const conditionHeaders = z.object({
  'if-match': z
    .string()
    .max(4096, 'must have at most 4096 characters')
    .optional()
    .describe('The `ETag` of the last read. If the entity has changed since, the answer is 412. `*`: it must exist.'),
  'if-none-match': z
    .string()
    .max(4096, 'must have at most 4096 characters')
    .optional()
    .describe('`*`: only add the entity. If it exists, the answer is 412. An `ETag`: the entity must not have it.'),
});

export const metadataSchema = z.record(z.string(), z.unknown());

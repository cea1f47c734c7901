import type { z } from 'zod';
import type { ErrorCode } from '../../model/errors.ts';
import {
  duplicateCheckSchema,
  duplicateReportSchema,
  ratingSchema,
  toggleResultSchema,
  voteResultSchema,
  voteSchema,
} from './shared-schemas.ts';
import { pathParams } from './wire-fields.ts';

interface Kind<RecordSchema extends z.ZodType, BodySchema extends z.ZodType> {
  readonly tag: string;
  /** One of them, with its article: `a server`. */
  readonly one: string;
  /** One of them as it is read. */
  readonly record: RecordSchema;
  /** One of them as it is changed. */
  readonly body: BodySchema;
  /** What errors call the body. Default: `request`. */
  readonly subject?: string;
  /** What reading a body can fail with, besides what every route shares. */
  readonly bodyErrors?: readonly ErrorCode[];
}

/** What the registry's types have in common, in the words for one of them. A row of the contract adds its route to it. */
export function commonOperations<RecordSchema extends z.ZodType, BodySchema extends z.ZodType>({
  tag,
  one,
  record,
  body,
  subject,
  bodyErrors = [],
}: Kind<RecordSchema, BodySchema>) {
  const read = { tag, params: pathParams, errors: ['NOT_FOUND'] as readonly ErrorCode[] };
  const write = { ...read, errors: ['NOT_FOUND', 'STORE_FULL'] as readonly ErrorCode[] };
  const change = {
    ...write,
    body,
    ...(subject === undefined ? {} : { subject }),
    responses: { 200: record },
    errors: ['NOT_FOUND', ...bodyErrors, 'STORE_FULL'] as readonly ErrorCode[],
  };
  const withoutArticle = one.replace(/^an? /, '');
  return {
    checkDuplicates: {
      tag,
      summary: `Whether ${one} like this is registered already`,
      body: duplicateCheckSchema,
      responses: { 200: duplicateReportSchema },
      errors: [] as readonly ErrorCode[],
    },
    /** Without where the new state is said: each type has its own place for it. */
    toggle: { ...write, summary: `Switch ${one} on or off`, responses: { 200: toggleResultSchema } },
    rate: { ...write, summary: `Rate ${one}, 1 to 5`, body: voteSchema, responses: { 200: voteResultSchema } },
    rating: { ...read, summary: `How ${one} is rated`, responses: { 200: ratingSchema } },
    get: { ...read, summary: `Read ${one}`, responses: { 200: record } },
    put: {
      ...change,
      summary: `Replace ${one}`,
      description: `The ${withoutArticle} must exist. Fields left out have their defaults again.`,
    },
    patch: {
      ...change,
      summary: `Change some fields of ${one}`,
      description: 'Fields left out stay; null sets a field back to its default.',
    },
    delete: { ...write, summary: `Delete ${one}`, responses: { 204: null } },
  };
}

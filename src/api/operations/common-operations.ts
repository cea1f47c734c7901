import { z } from 'zod';
import type { ErrorCode } from '../../model/errors/errors.ts';
import { ratingSchema } from '../../registry/contract/answers.ts';
import { voteSchema } from '../../registry/contract/entity-operations.ts';
import { assetHealthSchema } from '../../standards/gateway/asset-health.ts';
import { gatewayDuplicatesSchema } from '../../standards/gateway/duplicate-report.ts';
import { metadataFields, pathParams } from './wire-fields.ts';

const toggleResultSchema = z.object({ message: z.string(), path: z.string(), is_enabled: z.boolean() });
const voteResultSchema = z.object({ message: z.string(), average_rating: z.number() });
const address = z.string().max(2048, 'must have at most 2048 characters').nullish();
const duplicateCheckSchema = z.object({
  name: z.string().max(200, 'must have at most 200 characters'),
  description: z.string().max(10_000, 'must have at most 10000 characters').nullish(),
  url: address.describe('Also `proxy_pass_url` or `skill_md_url`.'),
  proxy_pass_url: address,
  skill_md_url: address,
  path: z.string().max(512, 'must have at most 512 characters').nullish(),
  self_path: z
    .string()
    .max(512, 'must have at most 512 characters')
    .nullish()
    .describe('The path of the entity itself, to exclude it.'),
});

interface Kind<RecordSchema extends z.ZodType, BodySchema extends z.ZodType> {
  /** The name with its article: `a server`. */
  readonly one: string;
  /** The schema of answers. */
  readonly record: RecordSchema;
  /** The schema of changes. */
  readonly body: BodySchema;
  /** The name of the body in errors. Default: `request`. */
  readonly subject?: string;
  /** Errors of reading the body, besides those of every route. */
  readonly bodyErrors?: readonly ErrorCode[];
}

/** The operations that servers, agents, skills and virtual servers share. The contract adds their routes. */
export function commonOperations<RecordSchema extends z.ZodType, BodySchema extends z.ZodType>({
  one,
  record,
  body,
  subject,
  bodyErrors = [],
}: Kind<RecordSchema, BodySchema>) {
  const read = { params: pathParams, errors: ['NOT_FOUND'] as readonly ErrorCode[] };
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
      summary: `Check whether ${one} like this is registered`,
      body: duplicateCheckSchema,
      responses: { 200: gatewayDuplicatesSchema },
    },
    /** Without the new state: each type has its own field for it. */
    toggle: { ...write, summary: `Enable or disable ${one}`, responses: { 200: toggleResultSchema } },
    rate: {
      ...write,
      summary: `Rate ${one}, 1 to 5`,
      body: voteSchema,
      raw: true as const,
      responses: { 200: voteResultSchema },
    },
    health: {
      ...read,
      summary: `Report the health of ${one}`,
      description: 'The result of the last check. Nothing is checked now.',
      responses: { 200: assetHealthSchema },
    },
    rating: { ...read, summary: `Read the rating of ${one}`, responses: { 200: ratingSchema } },
    get: {
      ...read,
      summary: `Read ${one}`,
      query: z.object({ metadata_fields: metadataFields }),
      responses: { 200: record },
    },
    put: {
      ...change,
      summary: `Replace ${one}`,
      description: `The ${withoutArticle} must exist. Missing fields get their defaults.`,
    },
    patch: {
      ...change,
      summary: `Change some fields of ${one}`,
      description: 'Missing fields stay unchanged. Null resets a field to its default.',
    },
    delete: { ...write, summary: `Delete ${one}`, responses: { 204: null } },
  };
}

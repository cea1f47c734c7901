import { z } from 'zod';
import {
  edgeBatchSchema,
  edgesReportSchema,
  edgesWhichSchema,
  relationListSchema,
} from '../../registry/contract/edge-operations.ts';
import { outcomeReportSchema, outcomeRequestSchema } from '../../registry/contract/outcome-schemas.ts';
import {
  recommendationSchema,
  recommendRequestSchema,
  respondRequestSchema,
} from '../../registry/contract/recommend-schemas.ts';
import {
  compareRequestSchema,
  comparisonSchema,
  compatibilitySchema,
  pairRequestSchema,
  stackRequestSchema,
  stackSchema,
} from '../../registry/contract/stack-schemas.ts';
import type { OperationDetails } from '../routes/operation.ts';
import { entityParams } from './registry-schemas.ts';

/** Edges between entities, and what is recommended by them. */
export const graphOperations = {
  recommend: {
    summary: 'Recommend one or two options for a need',
    description: 'Facets of `context` are dropped until something matches; `relaxed` says which.',
    body: recommendRequestSchema,
    raw: true,
    responses: { 200: recommendationSchema },
    errors: ['UNKNOWN_TYPE'],
  },
  recommendRespond: {
    summary: 'Answer the questions of a recommendation',
    body: respondRequestSchema,
    raw: true,
    responses: { 200: recommendationSchema },
    errors: ['NOT_FOUND'],
  },
  getStack: {
    summary: 'Choose one option for each need of a use case',
    body: stackRequestSchema,
    raw: true,
    responses: { 200: stackSchema },
  },
  compareEntities: {
    summary: 'Compare entities side by side',
    body: compareRequestSchema,
    raw: true,
    responses: { 200: comparisonSchema },
    errors: ['NOT_FOUND'],
  },
  checkCompatibility: {
    summary: 'Check whether two entities go together',
    body: pairRequestSchema,
    raw: true,
    responses: { 200: compatibilitySchema },
    errors: ['NOT_FOUND'],
  },
  reportOutcome: {
    summary: 'Report how a choice went',
    body: outcomeRequestSchema,
    raw: true,
    responses: { 200: outcomeReportSchema },
    errors: ['NOT_FOUND', 'GRAPH_UNAVAILABLE', 'STORE_FULL'],
  },
  putEdges: {
    summary: 'Store edges between entities',
    description: 'An edge that cannot be used is skipped and reported. The same edge again replaces it.',
    body: edgeBatchSchema,
    raw: true,
    responses: { 200: edgesReportSchema },
    errors: ['GRAPH_UNAVAILABLE', 'STORE_FULL'],
  },
  deleteEdges: {
    summary: 'Delete the edges of one provenance',
    body: edgesWhichSchema,
    raw: true,
    responses: { 200: z.object({ deleted: z.int() }) },
    errors: ['GRAPH_UNAVAILABLE', 'STORE_FULL'],
  },
  listRelations: {
    summary: 'List the relations of one entity',
    description: 'Stated and derived, strongest first. A tool of a server has the path `/server#tool`.',
    params: entityParams,
    responses: { 200: relationListSchema },
    errors: ['UNKNOWN_TYPE', 'NOT_FOUND'],
  },
} as const satisfies Readonly<Record<string, OperationDetails>>;

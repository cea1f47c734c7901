import { z } from 'zod';
import {
  edgeBatchSchema,
  edgesReportSchema,
  edgesWhichSchema,
  relationListSchema,
} from '../../registry/graph/edge-operations.ts';
import {
  recommendationSchema,
  recommendRequestSchema,
  respondRequestSchema,
} from '../../registry/recommend/recommend-schemas.ts';
import type { OperationDetails } from '../operation.ts';
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

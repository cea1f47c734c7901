import fc from 'fast-check';
import { entityReads, lists, memoryReads, recommendations, searches } from './registry-operations.ts';
import { restReads } from './rest-reads.ts';
import { mcp, mcpRequests, rest, standards } from './surface-operations.ts';
import { writes } from './write-operations.ts';

/** Any call on any surface. A third of them are searches. */
export const anyOperation = fc.oneof(
  { weight: 10, arbitrary: searches },
  { weight: 2, arbitrary: fc.oneof(...entityReads) },
  { weight: 3, arbitrary: fc.oneof(...lists) },
  { weight: 2, arbitrary: fc.oneof(...recommendations) },
  { weight: 1, arbitrary: fc.oneof(...memoryReads) },
  { weight: 3, arbitrary: fc.oneof(...standards) },
  { weight: 6, arbitrary: restReads },
  { weight: 3, arbitrary: fc.oneof(...rest) },
  { weight: 2, arbitrary: fc.oneof(...mcp) },
  { weight: 2, arbitrary: fc.oneof(...mcpRequests) },
  { weight: 2, arbitrary: fc.oneof(...writes) },
);

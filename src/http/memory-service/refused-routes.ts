import type { Route } from '../../api/routes/routes.ts';
import { NOT_OFFERED } from '../../mcp/memory-service/service-answers.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { ServiceRoute } from './service-route.ts';

const refused = (method: Route['method'], path: Route['path'], why: string): ServiceRoute => ({
  method,
  path,
  right: 'read',
  summary: 'Not offered',
  refuses: true,
  async answer(): Promise<never> {
    throw new DowserError('NOT_IMPLEMENTED', `Not offered: ${why}`);
  },
});

const both = (path: Route['path'], why: string): readonly ServiceRoute[] => [
  refused('GET', path, why),
  refused('POST', path, why),
];

const BACKUP = 'Dowser backs up its whole data folder: run `dowser backup`.';
const SYNC = 'Dowser has no second store to sync with. Several servers can share one record: see docs/scale.md.';
const ANALYTICS = 'Dowser counts memories by tag, type and source: see GET /api/stats.';
const UNTAGGED = 'Dowser forgets by what a memory has, not by what it lacks. Name tags, a type or a time.';
const RENAME = 'Dowser changes the tags of one memory at a time: PUT /api/memories/{hash}.';

/** What the memory service has and Dowser leaves out on purpose. */
export const REFUSED_ROUTES: readonly ServiceRoute[] = [
  ...both('/api/consolidation/{rest*}', NOT_OFFERED.memory_consolidate!),
  refused('POST', '/api/harvest', NOT_OFFERED.memory_harvest!),
  ...both('/api/quality/{rest*}', NOT_OFFERED.memory_quality!),
  ...both('/api/analytics/{rest*}', ANALYTICS),
  ...both('/api/backup/{rest*}', BACKUP),
  ...both('/api/sync/{rest*}', SYNC),
  refused('POST', '/api/manage/delete-untagged', UNTAGGED),
  refused('PUT', '/api/manage/tags/{tag}', RENAME),
];

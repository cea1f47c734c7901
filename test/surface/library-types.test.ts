import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const source = readFileSync(new URL('../../src/index.ts', import.meta.url), 'utf8');

/** The names that a module exports for the compiler only, which leave no trace in what runs. */
function exportedTypes(text: string): readonly string[] {
  return [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, whole, names]) =>
    names!
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && (whole !== undefined || name.startsWith('type ')))
      .map((name) => name.replace(/^type /, '')),
  );
}

/** What others build on: a name that goes away is a change for them. */
describe('the types of the library', () => {
  it('are these', () => {
    expect([...exportedTypes(source)].sort()).toEqual([
      'AdvisoryMatch',
      'AgentQuery',
      'BatchResult',
      'Caller',
      'Changes',
      'CleanUp',
      'Collision',
      'CompareRequest',
      'Comparison',
      'CompatibilityReport',
      'Drift',
      'DriftedEntity',
      'DuplicateCandidate',
      'DuplicateReport',
      'EdgeBatch',
      'EdgeOperations',
      'EdgesReport',
      'EmbedPendingOptions',
      'Entity',
      'EntityId',
      'EntityInput',
      'EntityOf',
      'EntityOperations',
      'EntityPage',
      'EntityRecord',
      'EntityType',
      'EntityUnits',
      'ErrorCode',
      'ErrorDetails',
      'Explanation',
      'FacetCounts',
      'FacetField',
      'Fields',
      'Health',
      'KnownSource',
      'ListPage',
      'ListQuery',
      'Liveness',
      'LocalRegistry',
      'Maintenance',
      'MaintenanceTarget',
      'MissingVectors',
      'Observation',
      'ObservationInput',
      'Observed',
      'OpenOptions',
      'Option',
      'OutcomeReport',
      'OutcomeRequest',
      'PageQuery',
      'PairRequest',
      'PutOptions',
      'PutResult',
      'QueryClass',
      'RatedRecord',
      'Rating',
      'RecommendOperations',
      'RecommendRequest',
      'Recommendation',
      'RegisterOptions',
      'Registry',
      'Reindex',
      'ReindexOptions',
      'RelationList',
      'RespondRequest',
      'ScopedRegistry',
      'Scored',
      'SearchMode',
      'SearchRequest',
      'SearchRequestInput',
      'SearchResponse',
      'SearchResult',
      'Settings',
      'SettingsInput',
      'SkillQuery',
      'SourceKey',
      'Stack',
      'StackRequest',
      'StaleVectors',
      'Status',
      'TagCount',
      'VectorQuery',
      'Visibility',
      'Vote',
    ]);
  });
});

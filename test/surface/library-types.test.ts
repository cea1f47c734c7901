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
      'Drift',
      'DriftedEntity',
      'DuplicateCandidate',
      'DuplicateReport',
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
      'ForgetMemories',
      'FoundMemories',
      'FoundMemory',
      'Health',
      'KnownSource',
      'ListMemories',
      'ListPage',
      'ListQuery',
      'Liveness',
      'LocalRegistry',
      'Maintenance',
      'MaintenanceTarget',
      'Memories',
      'Memory',
      'MemoryPage',
      'MemoryService',
      'MissingVectors',
      'Observation',
      'ObservationInput',
      'Observed',
      'OpenOptions',
      'PageQuery',
      'PutOptions',
      'PutResult',
      'QueryClass',
      'RatedRecord',
      'Rating',
      'RegisterOptions',
      'Registry',
      'Reindex',
      'ReindexOptions',
      'ScopedRegistry',
      'Scored',
      'SearchMemories',
      'SearchMode',
      'SearchRequest',
      'SearchRequestInput',
      'SearchResponse',
      'SearchResult',
      'Settings',
      'SettingsInput',
      'SkillQuery',
      'SourceKey',
      'StaleVectors',
      'Status',
      'StoreMemory',
      'StoreSession',
      'StoredMemory',
      'TagCount',
      'UpdateMemory',
      'VectorQuery',
      'Visibility',
      'Vote',
    ]);
  });
});

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const source = readFileSync(join(SRC, 'index.ts'), 'utf8');

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

interface Module {
  readonly file: string;
  readonly names: readonly string[];
}

/** The modules that a file exports from, with the names. */
const modulesOf = (text: string, folder = SRC): readonly Module[] =>
  [...text.matchAll(/(?:export|import) (?:type )?\{([^}]*)\} from '(\.[^']+)'/g)].map(([, names, path]) => ({
    file: join(folder, path!),
    names: names!.split(',').flatMap((name) => name.trim().replace(/^type /, '') || []),
  }));

const definition = (name: string) =>
  new RegExp(`^export (?:async )?(?:interface|type|const|function\\*?|class) ${name}\\b`, 'm');

/** Whether a comment stands right before it. */
function describes(name: string, text: string): boolean {
  const { index = 0 } = definition(name).exec(text) ?? {};
  return text.slice(0, index).trimEnd().endsWith('*/') && definition(name).test(text);
}

/** In the file, or in the one that it has the name from. */
function isDescribed(name: string, file: string): boolean {
  const text = readFileSync(file, 'utf8');
  if (definition(name).test(text)) return describes(name, text);
  const from = modulesOf(text, dirname(file)).find(({ names }) => names.includes(name));
  return from !== undefined && isDescribed(name, from.file);
}

/** What others build on: a name that goes away is a change for them. */
describe('the types of the library', () => {
  it('are these', () => {
    expect([...exportedTypes(source)].sort()).toEqual([
      'AdvisoryMatch',
      'AgentQuery',
      'AskDone',
      'AskEvent',
      'AskOptions',
      'AskRequestInput',
      'BatchResult',
      'Caller',
      'ChangeCollection',
      'Changes',
      'ChatMessage',
      'ChatModel',
      'Chunk',
      'CleanUp',
      'Collection',
      'Collision',
      'CompareRequest',
      'Comparison',
      'CompatibilityReport',
      'CreateCollection',
      'DocumentFile',
      'DocumentService',
      'DocumentText',
      'Documents',
      'Drift',
      'DriftedEntity',
      'DuplicateCandidate',
      'DuplicateReport',
      'EdgeBatch',
      'EdgeOperations',
      'EdgesReport',
      'EmbedOptions',
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
      'FileChanges',
      'ForgetMemories',
      'FoundChunk',
      'FoundChunks',
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
      'Option',
      'OutcomeReport',
      'OutcomeRequest',
      'OwnEmbedder',
      'PageQuery',
      'PairRequest',
      'PutOptions',
      'PutResult',
      'QueryClass',
      'RatedRecord',
      'Rating',
      'ReadRange',
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
      'SearchDocuments',
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
      'SourceList',
      'Stack',
      'StackRequest',
      'StaleVectors',
      'Status',
      'StoreMemory',
      'StoreSession',
      'StoredMemory',
      'TagCount',
      'UpdateMemory',
      'Uploaded',
      'VectorQuery',
      'Visibility',
      'Vote',
    ]);
  });

  it('say what they are, each in its file', () => {
    const silent = modulesOf(source).flatMap(({ file, names }) => names.filter((name) => !isDescribed(name, file)));
    expect(silent).toEqual([]);
    const sample = '/** Says it. */\nexport type Told = 1;\nexport type Silent = 2;\n';
    expect(['Told', 'Silent'].map((name) => describes(name, sample))).toEqual([true, false]);
  });
});

import fc from 'fast-check';
import type { OPERATION_RIGHTS } from '../../../src/api/routes/rights.ts';
import { type OperationName, ROUTES } from '../../../src/api/routes/routes.ts';
import type { AskedPaths } from './asked-paths.ts';
import { type Operation, operation, queryText } from './operation.ts';
import { COLLECTIONS, chunkIdIn, fileIdOf, MAX_FILES } from './world-contents.ts';
import { phrase, TAGS, type, word } from './world-words.ts';

const drawn = fc.record({
  n: fc.nat(999),
  m: fc.nat(999),
  text: queryText,
  words: phrase(3),
  word,
  tag: fc.constantFrom(...TAGS, 'secret-tag'),
  type,
  limit: fc.integer({ min: 1, max: 6 }),
  collection: fc.constantFrom(...COLLECTIONS, 'c0', 'C1', 'c'),
  file: fc.nat(MAX_FILES - 1).map((n) => `${n}.md`),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer D> ? D : never;

/** What a request has besides its route. */
interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}
type Make = (drawn: Drawn, at: AskedPaths) => Sent;
type ReadName = {
  [N in OperationName]: (typeof OPERATION_RIGHTS)[N] extends 'read' ? N : never;
}[OperationName];

const NOTHING: Make = () => ({});
const on =
  (kind: Drawn['type']): Make =>
  ({ n }, { pathOf }) => ({ params: { path: pathOf(kind, n) } });
const onServer = on('mcp_server');
const onAgent = on('a2a_agent');
const onSkill = on('skill');
const onVirtualServer = on('virtual_server');
const onEntity: Make = ({ n }, { idAt }) => ({ params: { type: idAt(n).type, path: idAt(n).path } });
const listed: Make = ({ limit, word }) => ({ query: { limit, query: word } });
const duplicates: Make = ({ words, text }) => ({ body: { name: words, description: text || words } });
const inCollection: Make = ({ collection }) => ({ params: { name: collection } });

/** A request for every operation that reads. The compiler names one that is missing. */
const READS: Readonly<Record<ReadName, Make>> = {
  search: ({ text, limit, m }, { idAt }) => ({
    body: { query: text, max_results: limit, ...(m % 2 === 0 ? {} : { why_not: idAt(m).id }) },
  }),
  searchTools: ({ text }) => ({ body: { query: text, format: 'openai' } }),
  searchTags: ({ limit }) => ({ query: { limit } }),
  getMap: NOTHING,
  findSkills: ({ word }) => ({ body: { query: word } }),
  findAgents: ({ word }) => ({ body: { skills: [word] } }),
  listEntities: ({ limit, tag, n }) => ({ query: n % 2 === 0 ? { limit } : { limit, tags: tag } }),
  getEntityRating: onEntity,
  getEntity: onEntity,
  queryEntities: ({ type, limit, word }) => ({ body: { type, limit, query: word } }),
  findDuplicates: ({ type, words, text }) => ({ body: { type, name: words, description: text } }),
  checkClientServers: ({ word, file }) => ({ body: { servers: [{ name: word, args: [file] }] } }),
  listSources: NOTHING,
  listDrift: NOTHING,
  recommend: ({ words }) => ({ body: { query: words } }),
  recommendRespond: ({ word }) => ({ body: { query_id: word, answers: {} } }),
  getStack: ({ words }) => ({ body: { use_case: words } }),
  compareEntities: ({ n, m }, { idAt }) => ({ body: { entities: [idAt(n).id, idAt(m).id] } }),
  checkCompatibility: ({ n, m }, { idAt }) => ({ body: { a: idAt(n).id, b: idAt(m).id } }),
  listRelations: onEntity,
  checkServerDuplicates: duplicates,
  listServerHealth: NOTHING,
  listMcpServers: listed,
  listServerTools: onServer,
  getConnectConfig: onServer,
  getServerJson: onServer,
  getServerVersions: onServer,
  getServerRating: onServer,
  getServer: onServer,
  checkAgentDuplicates: duplicates,
  discoverAgents: ({ word, tag }) => ({ body: { skills: [word], tags: [tag] } }),
  discoverAgentsByMeaning: ({ words }) => ({ query: { query: words }, body: {} }),
  getAgentBatch: ({ word }) => ({ params: { job_id: word } }),
  listAgents: listed,
  checkAgentHealth: (drawn, at) => ({ ...onAgent(drawn, at), body: {} }),
  getAgentRating: onAgent,
  getAgent: onAgent,
  parseSkillMd: ({ words }) => ({ body: { content: words } }),
  checkSkillDuplicates: duplicates,
  searchSkills: ({ word }) => ({ query: { q: word } }),
  listSkills: ({ limit, tag }) => ({ query: { limit, tag } }),
  getSkillContent: onSkill,
  checkSkillTools: onSkill,
  getSkillHealth: onSkill,
  getSkillRating: onSkill,
  getSkill: onSkill,
  checkVirtualServerDuplicates: duplicates,
  listVirtualServers: listed,
  listVirtualServerTools: onVirtualServer,
  getVirtualServerRating: onVirtualServer,
  getVirtualServer: onVirtualServer,
  listToolCatalog: ({ word }) => ({ query: { query: word } }),
  getEvaluation: NOTHING,
  getUser: NOTHING,
  getStats: NOTHING,
  getServerDetails: onServer,
  getServerTools: onServer,
  getMemory: ({ n }, { hashAt }) => ({ body: { content_hash: hashAt(n) } }),
  listMemories: ({ limit }) => ({ body: { page_size: limit } }),
  searchMemories: ({ words, limit }) => ({ body: { query: words, limit } }),
  countMemories: NOTHING,
  memoryGraph: ({ n, m, limit }, { hashAt }) => {
    const actions = ['connected', 'subgraph', 'infer', 'suggest', 'path'] as const;
    const ends = { hash: hashAt(n), hash1: hashAt(n), hash2: hashAt(m) };
    return { body: { action: actions[limit % actions.length], ...ends } };
  },
  auditMemories: NOTHING,
  listCollections: NOTHING,
  listFileStates: inCollection,
  searchCollection: ({ collection, text }) => ({ params: { name: collection }, body: { query: text, explain: true } }),
  getCollectionChunk: ({ collection, file }) => ({
    params: { name: collection, chunk_id: chunkIdIn(fileIdOf(collection, file)) },
  }),
  listCollectionSources: inCollection,
  getCollectionStats: inCollection,
  getDocument: ({ collection, file }) => ({ params: { name: collection, path: file } }),
  getCollection: inCollection,
  searchDocuments: ({ text, limit }) => ({ body: { query: text, limit, expand: {} } }),
  readDocument: ({ collection, file }) => ({ body: { document: `${collection}/${file}` } }),
  getChunk: ({ collection, file }) => ({ params: { chunk_id: chunkIdIn(fileIdOf(collection, file)) } }),
  health: NOTHING,
};

function urlOf(path: string, { params = {}, query = {} }: Sent): string {
  const filled = path.replaceAll(/\{(\w+)\*?\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'x'));
  const asked = new URLSearchParams(
    Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  ).toString();
  return asked === '' ? filled : `${filled}?${asked}`;
}

export const restReads: fc.Arbitrary<Operation> = fc
  .tuple(fc.constantFrom(...(Object.keys(READS) as ReadName[])), drawn)
  .map(([name, given]) =>
    operation(name, given, ({ http, ...at }) => {
      const { method, path } = ROUTES[name];
      const sent = READS[name](given, at);
      return http(method, urlOf(path, sent), sent.body);
    }),
  );

/** The library. `dowser/search` has the pure ranking functions, `dowser/client` is a client for a server. */
export { loadSettings, type Settings, type SettingsInput } from './config.ts';
export type { DocumentService } from './documents/create-documents.ts';
export type {
  Chunk,
  Collection,
  DocumentText,
  FoundChunk,
  FoundChunks,
  SourceList,
} from './documents/document-answers.ts';
export type {
  ChangeCollection,
  CreateCollection,
  FileChanges,
  ReadRange,
  SearchDocuments,
} from './documents/document-requests.ts';
export type { Documents } from './documents/documents.ts';
export type { MemoryService } from './memories/create-memories.ts';
export type { Memories } from './memories/memories.ts';
export type { FoundMemories, FoundMemory, Memory, MemoryPage, StoredMemory } from './memories/memory-answers.ts';
export type {
  ForgetMemories,
  ListMemories,
  SearchMemories,
  StoreMemory,
  StoreSession,
  UpdateMemory,
} from './memories/memory-requests.ts';
export type { Caller } from './model/caller.ts';
export {
  ENTITY_TYPES,
  type Entity,
  type EntityId,
  type EntityInput,
  type EntityOf,
  type EntityType,
  parseEntity,
  STATUSES,
  type Status,
  type Visibility,
} from './model/entity.ts';
export { DowserError, ERROR_CODES, type ErrorCode, type ErrorDetails } from './model/errors.ts';
export type { Explanation } from './model/explanation.ts';
export type { FacetField, QueryClass, SearchRequest, SearchRequestInput } from './model/query.ts';
export type { FacetCounts, SearchMode, SearchResponse, SearchResult } from './model/result.ts';
export { type OpenOptions, openDocuments, openMemories, openRegistry } from './open.ts';
export type { EdgeBatch, EdgeOperations, EdgesReport, RelationList } from './registry/graph/edge-operations.ts';
export type {
  AdvisoryMatch,
  AgentQuery,
  Collision,
  DuplicateCandidate,
  DuplicateReport,
  EntityOperations,
  Fields,
  ListPage,
  ListQuery,
  RatedRecord,
  Rating,
  RegisterOptions,
  Scored,
  SkillQuery,
  TagCount,
  Vote,
} from './registry/operations/entity-operations.ts';
export type {
  Drift,
  DriftedEntity,
  KnownSource,
  Liveness,
  Observation,
  ObservationInput,
  Observed,
  SourceKey,
} from './registry/provenance/observation.ts';
export type { OutcomeReport, OutcomeRequest } from './registry/recommend/outcome-schemas.ts';
export type { RecommendOperations } from './registry/recommend/recommend-operations.ts';
export type {
  Option,
  Recommendation,
  RecommendRequest,
  RespondRequest,
} from './registry/recommend/recommend-schemas.ts';
export type {
  CompareRequest,
  Comparison,
  CompatibilityReport,
  PairRequest,
  Stack,
  StackRequest,
} from './registry/recommend/stack-schemas.ts';
export type {
  BatchResult,
  Changes,
  EmbedPendingOptions,
  EntityPage,
  EntityRecord,
  Health,
  LocalRegistry,
  PageQuery,
  PutOptions,
  PutResult,
  Registry,
  ScopedRegistry,
} from './registry/registry.ts';
export type {
  CleanUp,
  EntityUnits,
  Maintenance,
  MaintenanceTarget,
  MissingVectors,
  Reindex,
  ReindexOptions,
  StaleVectors,
  VectorQuery,
} from './registry/vectors/maintenance.ts';

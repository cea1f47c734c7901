/** The library: see docs/library.md. `dowser/client` is a client for a server. */
export { loadSettings, type Settings, type SettingsInput } from './config.ts';
export { wholeAnswer } from './documents/ask/ask.ts';
export type { AskDone, AskEvent } from './documents/ask/ask-event.ts';
export type { AskRequestInput } from './documents/ask/ask-request.ts';
export type { ChatMessage, ChatModel } from './documents/ask/chat-model.ts';
export type {
  Chunk,
  Collection,
  DocumentText,
  FoundChunk,
  FoundChunks,
  SourceList,
} from './documents/contract/document-answers.ts';
export type {
  ChangeCollection,
  CreateCollection,
  FileChanges,
  ReadRange,
  SearchDocuments,
} from './documents/contract/document-requests.ts';
export type { Documents } from './documents/contract/documents.ts';
export type { DocumentService } from './documents/create-documents.ts';
export type { Uploaded } from './documents/upload-file.ts';
export type { EmbedOptions } from './embedders/embedder.ts';
export type { OwnEmbedder } from './embedders/open/own-embedder.ts';
export type {
  FoundMemories,
  FoundMemory,
  Memory,
  MemoryPage,
  StoredMemory,
} from './memories/contract/memory-answers.ts';
export type {
  ForgetMemories,
  ListMemories,
  SearchMemories,
  StoreMemory,
  StoreSession,
  UpdateMemory,
} from './memories/contract/memory-requests.ts';
export type { MemoryService } from './memories/create-memories.ts';
export type { Memories } from './memories/memories.ts';
export type { Explanation } from './model/answer/explanation.ts';
export type { FacetCounts, SearchMode, SearchResponse, SearchResult } from './model/answer/result.ts';
export type { Caller } from './model/caller/caller.ts';
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
export { DowserError, ERROR_CODES, type ErrorCode, type ErrorDetails } from './model/errors/errors.ts';
export type { FacetField, QueryClass, SearchRequest, SearchRequestInput } from './model/query/query.ts';
export { type OpenOptions, openMemories, openRegistry } from './open.ts';
export {
  type AskOptions,
  addFile,
  askDocuments,
  type DocumentFile,
  openChat,
  openDocuments,
} from './open-documents.ts';
export type { EdgeBatch, EdgeOperations, EdgesReport, RelationList } from './registry/contract/edge-operations.ts';
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
} from './registry/contract/entity-operations.ts';
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
} from './registry/contract/maintenance.ts';
export type {
  Drift,
  DriftedEntity,
  KnownSource,
  Liveness,
  Observation,
  ObservationInput,
  Observed,
  SourceKey,
} from './registry/contract/observation.ts';
export type { OutcomeReport, OutcomeRequest } from './registry/contract/outcome-schemas.ts';
export type { RecommendOperations } from './registry/contract/recommend-operations.ts';
export type {
  Option,
  Recommendation,
  RecommendRequest,
  RespondRequest,
} from './registry/contract/recommend-schemas.ts';
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
} from './registry/contract/registry.ts';
export type {
  CompareRequest,
  Comparison,
  CompatibilityReport,
  PairRequest,
  Stack,
  StackRequest,
} from './registry/contract/stack-schemas.ts';

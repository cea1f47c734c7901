/** Dowser as a library. `dowser/search` has the pure parts of the ranking, `dowser/client` talks to a server. */
export { loadSettings, type Settings, type SettingsInput } from './config.ts';
export {
  ENTITY_TYPES,
  type Entity,
  type EntityId,
  type EntityInput,
  type EntityType,
  parseEntity,
  STATUSES,
  type Status,
} from './model/entity.ts';
export { DowserError, ERROR_CODES, type ErrorCode } from './model/errors.ts';
export type { Explanation } from './model/explanation.ts';
export type { SearchRequest, SearchRequestInput } from './model/query.ts';
export type { SearchMode, SearchResponse, SearchResult } from './model/result.ts';
export { type OpenOptions, openRegistry } from './open.ts';
export type {
  BatchResult,
  EmbedPendingOptions,
  EntityRecord,
  Health,
  PutOptions,
  PutResult,
  Registry,
} from './registry/registry.ts';

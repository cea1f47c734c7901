export type { OperationRequest, OperationResult } from '../api/contract.ts';
export type { OperationName } from '../api/routes.ts';
export type { Memories } from '../memories/memories.ts';
export { DowserError, type ErrorCode, type ErrorDetails } from '../model/errors.ts';
export type { Registry } from '../registry/registry.ts';
export { type CallOptions, type Client, type ClientOptions, createClient } from './client.ts';
export { remoteMemories } from './remote-memories.ts';
export { remoteRegistry } from './remote-registry.ts';

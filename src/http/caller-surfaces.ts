import type { Handlers } from '../api/contract.ts';
import type { DocumentService } from '../documents/create-documents.ts';
import type { Documents } from '../documents/documents.ts';
import { TOOLSET_PATHS, type ToolsetName } from '../mcp/toolset-names.ts';
import type { MemoryService } from '../memories/create-memories.ts';
import type { Memories } from '../memories/memories.ts';
import type { MemoryEvent } from '../memories/memory-events.ts';
import { type Caller, UNRESTRICTED } from '../model/caller.ts';
import type { CallerOptions, LocalRegistry, ScopedRegistry } from '../registry/registry.ts';
import { collectionMcp } from './collection-mcp.ts';
import { createHandlers, type HandlerParts } from './handlers.ts';
import { type McpRoute, type McpRouteOptions, mcpRoute } from './mcp-route.ts';

/** Everything that answers one caller. */
export interface Surface {
  readonly handlers: Handlers;
  readonly memories: Memories;
  /** What happens to the memories that the caller may read. */
  readonly followMemories: () => AsyncIterableIterator<MemoryEvent>;
  readonly documents: Documents;
  readonly mcp: Readonly<Record<ToolsetName, McpRoute>>;
  /** The MCP endpoint of one collection of documents. */
  readonly collectionMcp: ReturnType<typeof collectionMcp>;
}

export interface SurfaceParts
  extends Omit<HandlerParts, 'caller' | 'registry' | 'memories' | 'documents'>,
    Omit<McpRouteOptions, 'caller' | 'registry' | 'memories' | 'documents' | 'toolset' | 'access'> {
  readonly registry: LocalRegistry;
  readonly memories: MemoryService;
  readonly documents: DocumentService;
}

/** Callers whose surfaces are kept. One that comes again later gets new ones, and loses only its batch jobs. */
const MAX_CALLERS = 500;

/** The surfaces of each caller, made at its first request. */
export function callerSurfaces(parts: SurfaceParts): (caller: Caller) => Surface {
  const { registry, memories, documents, access } = parts;
  const trail = access?.trail ?? null;
  const make = (caller: Caller, scoped: ScopedRegistry, own: Memories, files: Documents): Surface => {
    const shared = { ...parts, caller, registry: scoped, memories: own, documents: files };
    const routes = Object.keys(TOOLSET_PATHS).map((name) => [
      name,
      mcpRoute({ ...shared, toolset: name as ToolsetName }),
    ]);
    return {
      handlers: createHandlers(shared),
      memories: own,
      followMemories: () => memories.follow(caller),
      documents: files,
      mcp: Object.fromEntries(routes),
      collectionMcp: collectionMcp(shared),
    };
  };
  const scoped = (caller: Caller): Surface => {
    if (trail === null) return make(caller, registry.as(caller), memories.as(caller), documents.as(caller));
    const options: CallerOptions = {
      onWrite: (ids) => trail.touches(ids),
      onRefuse: (ids) => trail.current && trail.refused(trail.current, 'FORBIDDEN', ids),
    };
    const files = documents.as(caller, options);
    return make(caller, registry.as(caller, options), memories.as(caller, options), files);
  };
  const unrestricted = trail === null ? make(UNRESTRICTED, registry, memories, documents) : scoped(UNRESTRICTED);
  const known = new Map<string, Surface>();
  return (caller) => {
    if (caller === UNRESTRICTED) return unrestricted;
    const key = JSON.stringify([caller.name, caller.scopes, caller.readers]);
    const surface = known.get(key) ?? scoped(caller);
    // The last one used is the last to go.
    known.delete(key);
    known.set(key, surface);
    if (known.size > MAX_CALLERS) known.delete(known.keys().next().value!);
    return surface;
  };
}

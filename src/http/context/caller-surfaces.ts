import type { Handlers } from '../../api/contract.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import type { DocumentService } from '../../documents/create-documents.ts';
import { TOOLSET_PATHS, type ToolsetName } from '../../mcp/toolset-names.ts';
import type { MemoryService } from '../../memories/create-memories.ts';
import type { Memories } from '../../memories/memories.ts';
import type { FollowOptions, MemoryEvent } from '../../memories/parts/memory-events.ts';
import { type Caller, rightsKey, UNRESTRICTED } from '../../model/caller/caller.ts';
import type { CallerOptions, LocalRegistry, ScopedRegistry, WriteCondition } from '../../registry/contract/registry.ts';
import { type AgentJobs, noJobs } from '../handlers/agent-batches.ts';
import { createHandlers, type HandlerParts } from '../handlers/handlers.ts';
import { type McpRoute, type McpRouteOptions, mcpRoute } from './mcp-route.ts';
import { collectionMcp, type FindProfile, type NamedMcp, profileMcp } from './named-mcp.ts';

/** Everything that answers one caller. */
export interface Surface {
  readonly caller: Caller;
  readonly handlers: Handlers;
  /** The warnings about entities that an answer shows: see `ScopedRegistry`. */
  readonly warningsOf: (answer: unknown) => Promise<readonly string[]>;
  readonly memories: Memories;
  /** Changes what is stored of an entity in one turn, where two changes at once must both stay. */
  readonly change: ScopedRegistry['change'];
  /** What happens to the memories that the caller may read. */
  readonly followMemories: (options: FollowOptions) => AsyncIterableIterator<MemoryEvent>;
  readonly documents: Documents;
  readonly mcp: Readonly<Record<ToolsetName, McpRoute>>;
  /** The MCP endpoint of one collection of documents. */
  readonly collectionMcp: NamedMcp;
  /** The MCP endpoint of one profile. */
  readonly profileMcp: NamedMcp;
}

export type SurfaceOf = (caller: Caller, condition?: WriteCondition) => Surface;

export interface SurfaceParts
  extends Omit<HandlerParts, 'caller' | 'registry' | 'memories' | 'documents' | 'jobs'>,
    Omit<McpRouteOptions, 'caller' | 'registry' | 'memories' | 'documents' | 'toolset' | 'access' | 'calls'> {
  readonly registry: LocalRegistry;
  readonly memories: MemoryService;
  readonly documents: DocumentService;
  /** The saved filters of agents. Default: there are none. */
  readonly findProfile?: FindProfile | undefined;
}

/** Callers whose surfaces are kept. One that comes again later gets new ones, and loses only its batch jobs and subscriptions. */
const MAX_CALLERS = 500;

interface Kept {
  readonly surface: Surface;
  readonly jobs: AgentJobs;
}

/**
 * The surfaces of each caller, made at its first request. A request with a condition gets a surface of its own: whatever it
 * writes must meet the condition.
 */
export function callerSurfaces(parts: SurfaceParts): SurfaceOf {
  const { registry, memories, documents, access } = parts;
  const trail = access?.trail ?? null;
  const make = (caller: Caller, jobs: AgentJobs, condition: WriteCondition = {}): Surface => {
    const recorded: CallerOptions =
      trail === null
        ? {}
        : {
            onWrite: (ids) => trail.touches(ids),
            onRefuse: (ids) => trail.current && trail.refused(trail.current, 'FORBIDDEN', ids),
            onCall: (event) => trail.called(event),
          };
    const options = { ...recorded, ...condition };
    const isPlain = caller === UNRESTRICTED && Object.keys(options).length === 0;
    const scoped = isPlain ? registry : registry.as(caller, options);
    const own = isPlain ? memories : memories.as(caller, options);
    const files = isPlain ? documents : documents.as(caller, options);
    const shared = {
      ...parts,
      caller,
      registry: scoped,
      memories: own,
      documents: files,
      jobs,
      calls: registry.callLimit !== 'off',
    };
    const routes = Object.keys(TOOLSET_PATHS).map((name) => [
      name,
      mcpRoute({ ...shared, toolset: name as ToolsetName }),
    ]);
    return {
      caller,
      handlers: createHandlers(shared),
      warningsOf: scoped.instructionWarnings,
      memories: own,
      change: scoped.change,
      followMemories: (options) => memories.follow(caller, options),
      documents: files,
      mcp: Object.fromEntries(routes),
      collectionMcp: collectionMcp(shared),
      profileMcp: profileMcp(shared, parts.findProfile),
    };
  };
  const first = (caller: Caller): Kept => {
    const jobs = noJobs();
    return { surface: make(caller, jobs), jobs };
  };
  const unrestricted = first(UNRESTRICTED);
  const known = new Map<string, Kept>();
  const forgetOldest = () => {
    const [key, { surface }] = known.entries().next().value!;
    known.delete(key);
    const closing = [...Object.values(surface.mcp), surface.collectionMcp, surface.profileMcp].map((route) =>
      route.close(),
    );
    Promise.all(closing).catch((err: unknown) => parts.logger.error({ err }, 'mcp'));
  };
  const keptOf = (caller: Caller): Kept => {
    if (caller === UNRESTRICTED) return unrestricted;
    const key = rightsKey(caller);
    const kept = known.get(key) ?? first(caller);
    // The last one used is the last to go.
    known.delete(key);
    known.set(key, kept);
    if (known.size > MAX_CALLERS) forgetOldest();
    return kept;
  };
  return (caller, condition = {}) => {
    const { surface, jobs } = keptOf(caller);
    return Object.keys(condition).length === 0 ? surface : make(caller, jobs, condition);
  };
}

import type { Route } from '../../api/routes.ts';
import type { ServiceArguments } from '../../mcp/memory-service/service-arguments.ts';
import type { Memories } from '../../memories/memories.ts';

/** A request of a client of the memory service. */
export interface ServiceRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: ServiceArguments;
  readonly body: ServiceArguments;
  readonly agent: string | undefined;
  readonly hostname: string | undefined;
  /** The stream of what happens to memories. */
  readonly follow: () => Response;
}

export interface ServiceRoute extends Route {
  /** The scope that its caller needs. */
  readonly right: 'read' | 'write';
  readonly summary: string;
  /** Not offered: its body is not read. */
  readonly refuses?: true;
  answer(memories: Memories, request: ServiceRequest): Promise<unknown>;
}

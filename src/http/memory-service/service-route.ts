import type { Route } from '../../api/routes/routes.ts';
import type { DocumentReader } from '../../documents/contract/document-reader.ts';
import type { ServiceArguments } from '../../mcp/memory-service/service-arguments.ts';
import type { Memories } from '../../memories/memories.ts';
import type { EdgeType } from '../../model/entity-parts/edge.ts';
import type { Reply } from '../body/reply.ts';

/** A request of a client of the memory service. */
export interface ServiceRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: ServiceArguments;
  readonly body: ServiceArguments;
  readonly agent: string | undefined;
  readonly hostname: string | undefined;
  /** The header with the ETag of a memory. Throws NOT_FOUND. */
  readonly tagOf: (hash: string) => Promise<NonNullable<Reply['headers']>>;
  /** Adds a relation to the first memory, as a change of it by the caller. */
  readonly relate: (hash: string, other: string, type: EdgeType) => Promise<void>;
  /** The stream of what happens to memories. */
  readonly follow: () => Response;
  /** The form of a request that has one. */
  readonly form: FormData | undefined;
  /** Reads files that were sent. */
  readonly reader: Pick<DocumentReader, 'read'>;
}

/** An answer with headers of its own. */
export class TaggedAnswer {
  readonly body: object;
  readonly headers: NonNullable<Reply['headers']>;

  constructor(body: object, headers: NonNullable<Reply['headers']>) {
    this.body = body;
    this.headers = headers;
  }
}

export interface ServiceRoute extends Route {
  /** The scope that its caller needs. */
  readonly right: 'read' | 'write';
  readonly summary: string;
  /** Not offered: its body is not read. */
  readonly refuses?: true;
  /** What its body is, where the method does not tell: a form, or JSON. */
  readonly takes?: 'form' | 'json';
  answer(memories: Memories, request: ServiceRequest): Promise<unknown>;
}

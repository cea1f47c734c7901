import type { Access } from '../../access/open-access.ts';
import type { Reach } from '../../access/reach.ts';
import type { ChatModel } from '../../documents/ask/chat-model.ts';
import type { MemoryService } from '../../memories/create-memories.ts';
import type { Observed } from '../../registry/contract/observation.ts';
import type { LocalRegistry, ScopedRegistry } from '../../registry/contract/registry.ts';
import type { ToolDiscovery } from '../discovery/tool-discovery.ts';
import type { AdminParts } from '../handlers/admin.ts';
import type { Evaluations } from '../handlers/evaluation.ts';
import type { ServerLoad } from '../load/server-load.ts';
import type { Logger } from '../log/logger.ts';
import type { Tracing } from '../log/tracing.ts';
import type { Activity } from '../metrics/activity.ts';
import type { NameLedger } from '../standards/name-ledger.ts';
import type { WebFiles } from '../web/web-files.ts';
import type { FindProfile } from './named-mcp.ts';

export interface AppOptions extends Reach, Pick<AdminParts, 'loaded' | 'openKeys'> {
  /** Each request asks it as its caller: see `request-caller.ts`. */
  readonly registry: LocalRegistry;
  /** Whether requests need credentials, and what is recorded. Default: no credentials, no records. */
  readonly access?: Access | undefined;
  readonly version: string;
  readonly logger: Logger;
  /** What the server takes on at once. */
  readonly load: ServerLoad;
  /** Counts what the server does. Default: nothing does. */
  readonly activity?: Activity | undefined;
  /** Log the text of queries. */
  readonly logQueryText: boolean;
  /** Reads registered servers at their addresses. Default: nothing does. */
  readonly discovery?: ToolDiscovery | undefined;
  /** The secret of `server.json`. A caller with it may do everything. Default: none. */
  readonly secret?: string | undefined;
  /** Addresses of proxies whose `X-Forwarded-For` is believed. Default: none. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Addresses of other ARD registries. Default: none. */
  readonly referrals?: readonly string[] | undefined;
  /** The server names that were listed before. Default: those of this process. */
  readonly ledger?: NameLedger | undefined;
  /** Tells clients to close their connections during shutdown. */
  readonly isClosing?: () => boolean;
  /** Tells load balancers to send no more. Requests are answered as before. */
  readonly isDraining?: () => boolean;
  /** The memories of the registry, whose searches are logged. Default: with default settings. */
  readonly openMemories?: (registry: LocalRegistry) => MemoryService;
  /** Loads the example catalog. Default: there is none to load. */
  readonly loadExamples?: ((registry: ScopedRegistry) => Promise<readonly Observed[]>) | undefined;
  /** The figures of the last `dowser eval`. Default: there are none. */
  readonly evaluations?: Evaluations;
  /** The saved filters of agents. Default: there are none. */
  readonly findProfile?: FindProfile;
  /** The files of the web page. Default: a small page with links is at `/`. */
  readonly web?: WebFiles | null;
  /** Answers questions to documents in words. Default: none, and such questions get sources only. */
  readonly chat?: ChatModel | null;
  /** Default: nothing is traced. */
  readonly tracing?: Tracing | null;
  /** Aborts when the server begins to stop, for requests without an end. */
  readonly stopping?: AbortSignal;
}

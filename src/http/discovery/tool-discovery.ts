import type { McpServer } from '../../model/entity.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { limitWarnings } from '../../model/parse/limits.ts';
import type { RatedRecord, ScopedRegistry, StoredChange } from '../../registry/contract/registry.ts';
import { ANNOTATIONS } from '../../registry/notes/source-note.ts';
import { mcpServerSource } from '../../sources/mcp/mcp-source.ts';
import type { Source, SourceContext, SourceItem, SourceLimits } from '../../sources/source.ts';
import type { Logger } from '../log/logger.ts';
import { readAllowed } from './allowed-address.ts';
import { type RemoteCard, readRemoteCard } from './pull-card.ts';
import { RemoteSkills } from './remote-skills.ts';

export interface DiscoveryOptions {
  readonly registry: ScopedRegistry;
  readonly version: string;
  readonly logger: Logger;
  readonly limits: SourceLimits;
  /** Read a server when it is registered. */
  readonly onRegister: boolean;
  readonly allowPrivate: boolean;
  /** Read every server so often, in seconds. 0: never. */
  readonly refreshSeconds: number;
  /** Whether this process does so. Of several nodes, one does. Default: it does. */
  readonly refreshesHere?: () => boolean;
}

/** Where a server says in its metadata what could not be read of it, such as the end of a long list. */
const WARNINGS_KEY = 'discovery_warnings';
const MAX_WARNINGS = 10;

/** Servers that are read at once. */
const AT_ONCE = 8;

/** More waiting servers are left to the next scheduled reading. */
const MAX_WAITING = 1000;

/**
 * Reads registered servers at their addresses: tools, prompts and resources, with the limits and drift notes of `dowser add`.
 * Only addresses, never a command. A few servers at a time, so that one that hangs does not hold up the others.
 */
export class ToolDiscovery {
  readonly #options: DiscoveryOptions;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<string>();
  readonly #workers = new Set<Promise<void>>();
  readonly #skills: RemoteSkills;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    const { limits, allowPrivate } = options;
    this.#skills = new RemoteSkills({ limits, allowPrivate, signal: this.#stop.signal });
    if (options.refreshSeconds === 0) return;
    // A duty must have been asked for before a node has it.
    options.refreshesHere?.();
    this.#timer = setInterval(() => void this.#scheduleAll(), options.refreshSeconds * 1000);
    this.#timer.unref();
  }

  /** Call it after a registration. Returns at once. */
  registered(path: string): void {
    if (this.#options.onRegister) this.#enqueue(path);
  }

  /**
   * Reads a server now. Throws NOT_FOUND, INVALID_REQUEST without an address, and FORBIDDEN for a private address. A server
   * that does not answer is marked as dead, which the record says.
   */
  async refresh(path: string): Promise<RatedRecord> {
    const { registry, allowPrivate } = this.#options;
    const server = (await registry.rated('mcp_server', path)).record.entity as McpServer;
    const address = addressOf(server);
    let isAsked = false;
    try {
      await readAllowed(address, allowPrivate, () => {
        isAsked = true;
        return this.#read(server, address);
      });
    } catch (thrown) {
      if (!isAsked) await this.#noteRefusal(server.path, toDowserError(thrown));
      throw thrown;
    }
    return (await registry.rated('mcp_server', path)).record;
  }

  /** What is known of another address is not known of this one. */
  async #noteRefusal(path: string, { message }: DowserError): Promise<void> {
    const { registry } = this.#options;
    await registry.annotate('mcp_server', ANNOTATIONS.refusal, new Map([[path, message]]));
    await registry.annotate('mcp_server', ANNOTATIONS.liveness, new Map([[path, null]]));
  }

  async #read(server: McpServer, address: string): Promise<void> {
    const source = this.#sourceAt(server, address);
    try {
      await this.#store(source, server.path, address, await readFirst(source, this.#stop.signal));
    } catch (thrown) {
      // A server that is stopped in the middle of a reading knows nothing.
      if (this.#stop.signal.aborted) return;
      await this.#markDead(source, server.path, address, toDowserError(thrown));
    }
  }

  /** The published card of an agent, with the same limits and rules. */
  readCard(address: string): Promise<RemoteCard> {
    const { limits, allowPrivate } = this.#options;
    return readRemoteCard(address, { limits, allowPrivate, signal: this.#stop.signal });
  }

  /** The text of the SKILL.md at an address, with the same limits and rules. */
  readSkill(address: string): Promise<string> {
    return this.#skills.read(address);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#waiting.clear();
    this.#stop.abort();
    await Promise.all(this.#workers);
  }

  #enqueue(path: string): void {
    if (this.#stop.signal.aborted || this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.add(path);
    if (this.#workers.size >= AT_ONCE) return;
    const worker: Promise<void> = this.#work().finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  async #work(): Promise<void> {
    for (const path of this.#waiting) {
      this.#waiting.delete(path);
      await this.refresh(path).catch((thrown: unknown) => {
        const { code } = toDowserError(thrown);
        this.#options.logger.warn({ server: path, code }, 'server not read');
      });
    }
  }

  async #scheduleAll(): Promise<void> {
    if (this.#options.refreshesHere?.() === false) return;
    try {
      for await (const { entity } of this.#options.registry.all(['mcp_server'])) {
        if (entity.is_enabled && readAddress(entity as McpServer) !== undefined) this.#enqueue(entity.path);
      }
    } catch (thrown) {
      this.#options.logger.warn({ code: toDowserError(thrown).code }, 'servers not scheduled');
    }
  }

  /** Without the environment of this process: an address must not read its variables. */
  #sourceAt({ sse_endpoint, mcp_endpoint, url }: McpServer, address: string): Source {
    const { limits, version } = this.#options;
    const context: SourceContext = { env: {}, limits, version };
    const onlySse = address === sse_endpoint && mcp_endpoint === undefined && url === undefined;
    return mcpServerSource({ url: address, ...(onlySse ? { transport: 'sse' } : {}) }, context);
  }

  /** The lists are those of the server. What the person said of it stays, also if it was said during the reading. */
  async #store({ kind, locator }: Source, path: string, address: string, read: ReadServer): Promise<void> {
    await this.#options.registry.observeStored('mcp_server', path, (stored) => {
      if (readAddress(stored) !== address) return null;
      const entity = withRead(stored, read);
      return { source: { kind, locator }, live: true, take_over: true, entities: [{ entity }] };
    });
  }

  /** Only an entity of the source can be dead to it, so the source is noted first. */
  async #markDead({ kind, locator }: Source, path: string, address: string, { message }: DowserError): Promise<void> {
    const { registry } = this.#options;
    const source = { kind, locator };
    const observed = await registry.observeStored('mcp_server', path, (stored) =>
      readAddress(stored) === address ? { source, take_over: true, entities: [{ entity: { ...stored } }] } : null,
    );
    if (observed.length === 0) return;
    await registry.observe({ source, live: true, missing: [{ type: 'mcp_server', path, error: message }] });
  }
}

/** A stored server with what was read of it. */
function withRead(stored: McpServer, { entity: read, warnings }: ReadServer): Record<string, unknown> {
  const transports =
    stored.supported_transports.length === 0 ? { supported_transports: read.supported_transports } : {};
  const { [WARNINGS_KEY]: _, ...said } = stored.metadata;
  const noted = warnings.length === 0 ? {} : { [WARNINGS_KEY]: limitWarnings(warnings, MAX_WARNINGS) };
  const metadata = { ...said, ...(read.metadata as object), ...noted };
  return { ...stored, ...transports, tools: read.tools ?? [], metadata };
}

function addressOf(server: McpServer): string {
  const address = readAddress(server);
  if (address !== undefined) return address;
  throw new DowserError('INVALID_REQUEST', `The server '${server.path}' has no address to read.`, {
    field: 'proxy_pass_url',
    hint: 'Only servers with an address are read. A command is never started.',
  });
}

type ReadServer = Extract<SourceItem, { readonly entity: unknown }>;

async function readFirst(source: Source, signal: AbortSignal): Promise<ReadServer> {
  for await (const item of source.read(signal)) {
    if ('entity' in item) return item;
    if ('problem' in item) throw item.problem;
  }
  throw new DowserError('SOURCE_UNREACHABLE', `${source.title} has no server.`);
}

/** The address where a server is read. Undefined: it has none, or it runs on the machine of its user. */
function readAddress({ deployment, mcp_endpoint, url, sse_endpoint }: McpServer): string | undefined {
  return deployment === 'remote' ? (mcp_endpoint ?? url ?? sse_endpoint) : undefined;
}

/**
 * For `watchWrites`: has each server read that is at another address after a write. A new server counts if it is written
 * alone: a load of many servers must not call all of them.
 */
export function readMoved(discovery: Pick<ToolDiscovery, 'registered'>): (changes: readonly StoredChange[]) => void {
  return (changes) => {
    for (const { before, after } of changes) {
      if (after.type !== 'mcp_server' || (before === undefined && changes.length > 1)) continue;
      const address = readAddress(after);
      const isKnown = before?.type === 'mcp_server' && readAddress(before) === address;
      if (address !== undefined && !isKnown) discovery.registered(after.path);
    }
  };
}

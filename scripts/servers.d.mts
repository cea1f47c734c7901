/** A server that can be started, or why it cannot. */
export type Ensured = { readonly folder: string } | { readonly missing: string };

export interface TestServer {
  readonly port: number;
  readonly url: string;
  /** Kills it as a crash would. */
  kill(): Promise<void>;
  /** Starts it again at the same address, with its data. */
  start(): Promise<void>;
  /** Kills it and removes its data. */
  remove(): Promise<void>;
}

export interface TestNode extends TestServer {
  /** Where the other nodes of a cluster reach it. */
  readonly peer: string;
}

export function ensurePostgres(): Ensured;
export function ensureQdrant(): Ensured;
export function findPostgresTools(): { readonly programs: string } | { readonly missing: string };
export function startPostgres(
  installed: { readonly folder: string } | { readonly programs: string },
  options?: { readonly settings?: readonly string[]; readonly standbyOf?: number },
): Promise<TestServer>;
export function startQdrant(
  installed: { readonly folder: string },
  options?: {
    readonly apiKey?: string;
    readonly peers?: readonly string[];
    readonly settings?: Readonly<Record<string, string>>;
  },
): Promise<TestNode>;
export function startQdrantCluster(installed: { readonly folder: string }, count: number): Promise<readonly TestNode[]>;

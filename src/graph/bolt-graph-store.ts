import type { Driver } from 'neo4j-driver';
import type { EdgeSelection } from '../engines/edge-store.ts';
import type { EntityId } from '../model/entity.ts';
import { EDGE_TYPES, type Edge, type EdgeType, type Surroundings } from '../model/entity-parts/edge.ts';
import { DowserError } from '../model/errors/errors.ts';
import { EdgeGraph } from './edge-graph.ts';
import type { AroundOptions, GraphStore } from './graph-store.ts';

export interface BoltOptions {
  readonly url: string;
  /** Undefined: no login. An empty name crashes some servers, so it is never sent. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly database?: string | undefined;
  /** How long one call may take, in milliseconds. Default: 3 seconds. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 3000;
/** Edges in one statement. */
const BATCH = 1000;
const MAX_EDGES = 100_000;

const FIELDS = 'r.weight AS weight, r.confidence AS confidence, r.decay AS decay, r.verifiedAt AS verifiedAt';
/** Cypher takes no parameter for a relationship's type, but only these types are ever written. */
const MERGE = (type: EdgeType) => `UNWIND $edges AS e
  MERGE (a:Entity {id: e.source}) MERGE (b:Entity {id: e.target})
  MERGE (a)-[r:${type} {provenance: e.provenance}]->(b)
  SET r.weight = e.weight, r.confidence = e.confidence, r.decay = e.decay, r.verifiedAt = e.verifiedAt`;
const READ = (condition: string) => `MATCH (a:Entity)-[r]->(b:Entity) WHERE ${condition} AND a.id <> b.id
  RETURN a.id AS source, b.id AS target, type(r) AS type, r.provenance AS provenance, ${FIELDS} LIMIT ${MAX_EDGES}`;
const BETWEEN = 'a.id IN $ends AND b.id IN $ends AND ';
const SELECTED = (condition: string) => `MATCH (a:Entity)-[r]->(b:Entity) WHERE ${condition}r.provenance = $provenance`;

/**
 * The graph of a server that speaks Cypher over Bolt: Memgraph, Neo4j, FalkorDB. Portable Cypher only. A call that fails or
 * takes too long rejects with GRAPH_UNAVAILABLE; the driver connects again with the next call.
 */
export class BoltGraphStore implements GraphStore {
  readonly name = 'bolt';
  readonly #driver: Driver;
  readonly #options: BoltOptions;

  private constructor(driver: Driver, options: BoltOptions) {
    this.#driver = driver;
    this.#options = options;
  }

  /** Loads the driver. Does not connect: a server that is down now may answer later. */
  static async open(options: BoltOptions): Promise<BoltGraphStore> {
    const { default: neo4j } = await import('neo4j-driver').catch((cause: unknown) => {
      throw new DowserError('GRAPH_UNAVAILABLE', 'The package neo4j-driver is not installed.', {
        hint: 'Run `npm install neo4j-driver`, or remove the setting graph_url.',
        cause,
      });
    });
    const { url, user, password = '', timeoutMs = TIMEOUT_MS } = options;
    const auth = user === undefined ? undefined : neo4j.auth.basic(user, password);
    const driver = neo4j.driver(url, auth, {
      disableLosslessIntegers: true,
      connectionTimeout: timeoutMs,
      connectionAcquisitionTimeout: timeoutMs,
      maxTransactionRetryTime: 0,
    });
    return new BoltGraphStore(driver, options);
  }

  async put(edges: readonly Edge[]): Promise<void> {
    // The last of two in one batch wins: servers differ in what they keep.
    const last = new Map(
      edges.map((edge) => [JSON.stringify([edge.source, edge.target, edge.type, edge.provenance]), edge]),
    );
    for (const type of EDGE_TYPES) {
      const own = [...last.values()].filter((edge) => edge.type === type).map(toParameters);
      for (let from = 0; from < own.length; from += BATCH) {
        await this.#run(MERGE(type), { edges: own.slice(from, from + BATCH) });
      }
    }
  }

  async delete({ provenance, between }: EdgeSelection): Promise<number> {
    const selected = SELECTED(between === undefined ? '' : BETWEEN);
    const ends = between === undefined ? [] : between.map(toStored);
    const parameters = { provenance: toStored(provenance), ends };
    const [row] = await this.#run(`${selected} RETURN count(r) AS count`, parameters);
    await this.#run(`${selected} DELETE r`, parameters);
    return Number(row?.count ?? 0);
  }

  async around(nodes: readonly EntityId[], options?: AroundOptions): Promise<readonly Surroundings[]> {
    if (nodes.length === 0) return [];
    const parameters = { nodes: nodes.map(toStored) };
    const graph = EdgeGraph.empty();
    // Two directed reads: an undirected match gives some edges twice.
    for (const condition of ['a.id IN $nodes', 'b.id IN $nodes']) {
      for (const row of await this.#run(READ(condition), parameters)) graph.put(toEdge(row));
    }
    return graph.around(nodes, options);
  }

  async close(): Promise<void> {
    await this.#driver.close();
  }

  async #run(cypher: string, parameters: Row): Promise<readonly Row[]> {
    const { database, timeoutMs = TIMEOUT_MS } = this.#options;
    const session = this.#driver.session(database === undefined ? {} : { database });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      const answered = session.run(cypher, parameters).then(async ({ records }) => {
        // Before the next call, so that it takes the same connection.
        await session.close();
        return records;
      });
      answered.catch(() => undefined);
      return (await Promise.race([answered, late])).map((record) => record.toObject() as Row);
    } catch (cause) {
      // A session of a lost server may never close: do not wait for it.
      void session.close().catch(() => undefined);
      throw new DowserError('GRAPH_UNAVAILABLE', `The graph at ${this.#options.url} does not answer.`, {
        hint: 'Check that the graph database runs. Dowser tries again with the next question.',
        cause,
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

type Row = Record<string, unknown>;

/** Some servers cannot take every character in a parameter: others than these are written as in a URL. */
const toStored = (name: string): string =>
  name.replaceAll(/[^\w\-./:@#]+/g, (odd) => encodeURIComponent(odd).replaceAll("'", '%27'));
const fromStored = (stored: unknown): string => decodeURIComponent(String(stored));

function toParameters({ source, target, provenance, weight, confidence, decay, verifiedAt }: Edge): Row {
  const names = { source: toStored(source), target: toStored(target), provenance: toStored(provenance) };
  return { ...names, weight, confidence, decay, verifiedAt: verifiedAt ?? -1 };
}

function toEdge(row: Row): Edge {
  const { source, target, type, provenance, weight, confidence, decay, verifiedAt } = row;
  const at = Number(verifiedAt ?? -1);
  return {
    source: fromStored(source) as EntityId,
    target: fromStored(target) as EntityId,
    type: type as EdgeType,
    weight: Number(weight ?? 1),
    confidence: Number(confidence ?? 1),
    decay: Number(decay ?? 0),
    verifiedAt: at < 0 ? null : at,
    provenance: fromStored(provenance ?? 'bolt'),
  };
}

import type { Contender } from './contender.ts';

export interface ContenderEntry {
  /** How tables call it. */
  readonly title: string;
  /** Keeps what it built: it is built in one process and opened in another. The others are built where they are searched. */
  readonly durable: boolean;
  /** Imported on use: a peer that is not installed must not stop the others. */
  readonly load: () => Promise<Contender>;
}

/** By the name on the command line. */
export const CONTENDERS: Readonly<Record<string, ContenderEntry>> = {
  dowser: {
    title: 'Dowser',
    durable: true,
    load: async () => (await import('./dowser.ts')).loadDowser(),
  },
  zvec: {
    title: 'zvec',
    durable: true,
    load: async () => (await import('./zvec.ts')).loadZvec(),
  },
  lancedb: {
    title: 'LanceDB',
    durable: true,
    load: async () => (await import('./lancedb.ts')).loadLancedb(),
  },
  minisearch: {
    title: 'MiniSearch + vector loop',
    durable: false,
    load: async () => (await import('./minisearch.ts')).loadMiniSearch(),
  },
  sqlite: {
    title: 'SQLite FTS5 + sqlite-vec',
    durable: true,
    load: async () => (await import('./sqlite.ts')).loadSqlite(),
  },
  orama: {
    title: 'Orama',
    durable: false,
    load: async () => (await import('./orama.ts')).loadOrama(),
  },
};

export function titleOf(contender: string): string {
  return CONTENDERS[contender]?.title ?? contender;
}

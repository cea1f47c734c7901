import { afterEach, beforeEach } from 'vitest';
import type { Engine } from '../../src/engines/engine.ts';
import type { EmbedderIdentity } from '../../src/model/embedder-identity.ts';
import type { Scorer } from '../../src/search/retrieval/retrieval.ts';
import { TOY_EMBEDDER, temporaryFolder } from '../support/engine-fixtures.ts';

export interface OpenOptions {
  /** A folder for engines that need one. */
  readonly dir: string;
  readonly embedder: EmbedderIdentity | null;
  readonly now: () => Date;
}

export interface EngineUnderTest {
  readonly name: string;
  /** Whether it keeps its data when it is closed and opened again. */
  readonly isDurable: boolean;
  open(options: OpenOptions): Promise<Engine>;
}

export const SCORERS: readonly Scorer[] = ['bm25f', 'coverage', 'constant', 'boost'];

export interface Bench {
  readonly engine: Engine;
  readonly dir: string;
  /** Where the engine's clock stands; it moves a minute with every call. */
  time(): string;
  /** Closes the engine and opens it again on the same folder. */
  reopen(embedder?: EmbedderIdentity | null): Promise<Engine>;
  /** Another engine, on a folder of its own. */
  another(embedder: EmbedderIdentity | null): Promise<Engine>;
}

/** An engine for each test, opened before it and closed after it. */
export function useEngine(subject: EngineUnderTest): Bench {
  let engine: Engine | undefined;
  let folder: ReturnType<typeof temporaryFolder> | undefined;
  let minutes = 0;
  let cleanUps: (() => Promise<void> | void)[] = [];
  const now = () => new Date(Date.UTC(2026, 0, 1, 0, minutes++));
  const open = (dir: string, embedder: EmbedderIdentity | null) => subject.open({ dir, embedder, now });

  beforeEach(async () => {
    minutes = 0;
    folder = temporaryFolder();
    engine = await open(folder.path, TOY_EMBEDDER);
  });
  afterEach(async () => {
    await engine?.close();
    for (const cleanUp of cleanUps) await cleanUp();
    cleanUps = [];
    folder?.remove();
  });

  return {
    get engine() {
      return engine!;
    },
    get dir() {
      return folder!.path;
    },
    time: () => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString(),
    reopen: async (embedder = TOY_EMBEDDER) => {
      await engine?.close();
      engine = await open(folder!.path, embedder);
      return engine;
    },
    another: async (embedder) => {
      const other = temporaryFolder();
      const opened = await open(other.path, embedder);
      cleanUps.push(async () => {
        await opened.close();
        other.remove();
      });
      return opened;
    },
  };
}

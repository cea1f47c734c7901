import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSettings } from '../../src/config.ts';
import { MEASURING_TIMEOUT_MS } from '../../src/eval/remembered-queries.ts';
import { openEmbedderFor, openRegistry } from '../../src/open.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { CountedEmbedder } from './counted-embedder.ts';

/** Vectors are the same in every run, so they are kept between runs: by text and model, never wrong, only missing. */
const VECTORS = fileURLToPath(new URL('../../node_modules/.cache/dowser-golden/', import.meta.url));

export interface GoldenRegistry {
  readonly registry: LocalRegistry;
  readonly embedder: CountedEmbedder;
  close(): Promise<void>;
}

/** A registry with the default engine and the real model, filled and embedded. */
export async function goldenRegistry(entities: readonly unknown[]): Promise<GoldenRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'dowser-golden-'));
  const settings = parseSettings({ data_dir: folder });
  const opened = await openEmbedderFor({ ...settings, data_dir: VECTORS }, { queryTimeoutMs: MEASURING_TIMEOUT_MS });
  const embedder = new CountedEmbedder(opened.embedder!);
  const registry = await openRegistry(settings, { embedder: { ...opened, embedder }, background: false });
  await registry.putMany(entities, { vectors: 'later' });
  await registry.embedPending();
  return {
    registry,
    embedder,
    async close() {
      await registry.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

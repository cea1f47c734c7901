import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KnownSource, Observed } from '../../registry/contract/observation.ts';
import type { Registry } from '../../registry/contract/registry.ts';
import { EXAMPLE_SOURCE, isExample, sourceKeyOf } from '../../registry/notes/source-note.ts';
import { readJsonLines } from '../../sources/kinds/jsonl.ts';
import { TrustedSources, trustSource } from '../../sources/trusted-sources.ts';

/** The same depth below the package from `src` and from `dist`. */
const CATALOG = fileURLToPath(new URL('../../../examples/catalog/', import.meta.url));

type Loading = Pick<Registry, 'observe'>;

/** Loads the example catalog in one step. Entities of the user at the same paths are `kept`. */
export async function loadExamples(registry: Loading): Promise<readonly Observed[]> {
  const entities: { part: string; entity: Record<string, unknown> }[] = [];
  for (const name of (await readdir(CATALOG)).filter((file) => file.endsWith('.jsonl')).sort()) {
    for await (const line of readJsonLines(join(CATALOG, name))) {
      if ('error' in line) throw line.error;
      const entity = line.value as Record<string, unknown>;
      entities.push({ part: String(entity.path), entity });
    }
  }
  return registry.observe({ source: EXAMPLE_SOURCE, entities });
}

/** Which examples are loaded. */
export function examplesAmong(sources: readonly KnownSource[]): KnownSource['entities'] {
  return sources.find(isExample)?.entities ?? [];
}

export async function removeExamples(registry: Pick<Registry, 'observe' | 'sources'>): Promise<number> {
  const loaded = examplesAmong(await registry.sources());
  const withdrawn = loaded.map(({ entity_type: type, path }) => ({ type, path }));
  return (await registry.observe({ source: EXAMPLE_SOURCE, withdrawn })).length;
}

/** Notes that the examples were loaded into a folder, so that a later start does not load them again. */
export const rememberExamples = (dataDir: string): Promise<void> => trustSource(dataDir, sourceKeyOf(EXAMPLE_SOURCE));

export async function hadExamples(dataDir: string): Promise<boolean> {
  return new TrustedSources(dataDir).has(sourceKeyOf(EXAMPLE_SOURCE));
}

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EntityType } from '../../model/entity.ts';
import { toDowserError } from '../../model/errors/errors.ts';
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
  const entities = (await catalog()).map((entity) => ({ part: entity.path, entity }));
  return registry.observe({ source: EXAMPLE_SOURCE, entities });
}

type Example = Readonly<Record<string, unknown>> & { readonly type: EntityType; readonly path: string };

async function catalog(): Promise<readonly Example[]> {
  const entities: Example[] = [];
  for (const name of (await readdir(CATALOG)).filter((file) => file.endsWith('.jsonl')).sort()) {
    for await (const line of readJsonLines(join(CATALOG, name))) {
      if ('error' in line) throw line.error;
      entities.push(line.value as Example);
    }
  }
  return entities;
}

/** Which examples are loaded. */
export function examplesAmong(sources: readonly KnownSource[]): KnownSource['entities'] {
  return sources.find(isExample)?.entities ?? [];
}

/** Deletes the examples. What a person has replaced, changed, approved or blocked is no example any more: it is `kept`. */
export async function removeExamples(
  registry: Pick<Registry, 'observe' | 'sources' | 'get'>,
): Promise<{ readonly removed: number; readonly kept: readonly KnownEntity[] }> {
  const loaded = examplesAmong(await registry.sources());
  const withdrawn = loaded.map(({ entity_type: type, path }) => ({ type, path }));
  const { length: removed } = await registry.observe({ source: EXAMPLE_SOURCE, withdrawn });
  const kept: KnownEntity[] = [];
  for (const { type, path } of removed === 0 ? [] : await catalog()) {
    if (withdrawn.some((one) => one.type === type && one.path === path)) continue;
    const found = await registry.get(type, path).catch((thrown: unknown) => {
      if (toDowserError(thrown).code === 'NOT_FOUND') return undefined;
      throw thrown;
    });
    if (found !== undefined) kept.push({ entity_type: type, path });
  }
  return { removed, kept };
}

interface KnownEntity {
  readonly entity_type: EntityType;
  readonly path: string;
}

/** Notes that the examples were loaded into a folder, so that a later start does not load them again. */
export const rememberExamples = (dataDir: string): Promise<void> => trustSource(dataDir, sourceKeyOf(EXAMPLE_SOURCE));

export async function hadExamples(dataDir: string): Promise<boolean> {
  return new TrustedSources(dataDir).has(sourceKeyOf(EXAMPLE_SOURCE));
}

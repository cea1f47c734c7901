import type { Settings } from '../../config.ts';
import type { OpenedEmbedder } from '../../embedders/open/open-embedder.ts';
import { openEmbedderFor } from '../../open.ts';
import { PRESETS } from '../../search/plan/presets.ts';
import { localModel } from './local-model.ts';

/** A search request, before the registry is open. */
export interface Question {
  readonly query?: unknown;
  readonly preset?: unknown;
}

/** A code such as D40 has no word in it. A query of codes only needs no model. */
const WORD = /\p{L}{2}/u;

/**
 * Guesses whether a search will need the model; only the index knows. A wrong guess costs time and never changes an answer.
 */
export function wantsModel({ query, preset }: Question, settings: Settings): boolean {
  const ranking = PRESETS[String(preset ?? settings.preset)];
  return typeof query === 'string' && WORD.test(query) && (ranking?.vector ?? null) !== null;
}

/**
 * An embedder whose model loads in a worker thread while the data folder opens. Does not fetch a missing model: the search
 * warns about it.
 */
export async function openEarly(settings: Settings): Promise<OpenedEmbedder> {
  const opened = await openEmbedderFor(settings);
  const model = await localModel(settings).catch(() => undefined);
  if (model?.isReady === true) opened.warm().catch(() => undefined);
  return opened;
}

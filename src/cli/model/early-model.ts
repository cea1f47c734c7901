import type { Settings } from '../../config.ts';
import type { OpenedEmbedder } from '../../embedders/open-embedder.ts';
import { openEmbedderFor } from '../../open.ts';
import { PRESETS } from '../../search/presets.ts';
import { localModel } from './local-model.ts';

/** What is known of a question before anything is open. */
export interface Question {
  readonly query?: unknown;
  readonly preset?: unknown;
}

/** A code such as D40 has no word in it; where all are codes, keywords are enough. */
const WORD = /\p{L}{2}/u;

/**
 * Whether a question will want the model: a guess, as only the index tells. What is guessed wrong costs time and never
 * changes an answer.
 */
export function wantsModel({ query, preset }: Question, settings: Settings): boolean {
  const ranking = PRESETS[String(preset ?? settings.preset)];
  return typeof query === 'string' && WORD.test(query) && (ranking?.vector ?? null) !== null;
}

/**
 * An embedder whose model loads, on a thread of its own, while this one opens the data folder. A model that is not there is
 * left for the question to miss, as it has the words for it and fetches nothing.
 */
export async function openEarly(settings: Settings): Promise<OpenedEmbedder> {
  const opened = await openEmbedderFor(settings);
  const model = await localModel(settings);
  if (model?.state === 'good') opened.warm().catch(() => undefined);
  return opened;
}

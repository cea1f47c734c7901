import type { Unit } from '../../model/entity-parts/unit.ts';
import { foldText, lowerCase } from '../text/fold-text.ts';

const flat = (text: string) => lowerCase(foldText(text)).replace(/\s+/gu, ' ').trim();

/** Whether a field contains the phrase, ignoring case, accents and line breaks. */
export function holdsPhrase(fields: Unit['fields'], phrase: string): boolean {
  const wanted = flat(phrase);
  return Object.values(fields).some((text) => flat(text).includes(wanted));
}

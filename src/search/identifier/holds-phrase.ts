import type { Unit } from '../../model/unit.ts';
import { foldText, lowerCase } from '../text/fold-text.ts';

const flat = (text: string) => lowerCase(foldText(text)).replace(/\s+/gu, ' ').trim();

/** Whether some field has these words in this order, whatever the case, accents and line breaks. */
export function holdsPhrase(fields: Unit['fields'], phrase: string): boolean {
  const wanted = flat(phrase);
  return Object.values(fields).some((text) => flat(text).includes(wanted));
}

import { editDistance } from './edit-distance.ts';

/** Typing mistakes that may still mean the same name. */
const MOST_MISTAKES = 2;

/** Which of some names was probably meant by one that is none of them, whatever its case; the first of those as near. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  // A word of one or two letters is near to every other.
  let mistakes = Math.min(MOST_MISTAKES + 1, name.length);
  for (const other of names) {
    const distance = editDistance(name.toLowerCase(), other.toLowerCase(), MOST_MISTAKES);
    if (distance >= mistakes) continue;
    best = other;
    mistakes = distance;
  }
  return best;
}

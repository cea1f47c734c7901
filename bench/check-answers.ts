import type { Found } from './contenders/contender.ts';
import type { BenchUnit } from './corpus/corpus.ts';

/** Everything that one contender answered. */
export interface Answers {
  readonly hybrid: readonly (readonly Found[])[];
  readonly legs: readonly (readonly string[])[];
}

/**
 * Whether the question was the same for everybody: null, or a sentence about the first answer with a unit that may not be
 * found, that does not exist or that comes without its own text. The figures of such a run would compare nothing.
 */
export function wrongAnswer(units: readonly BenchUnit[], { hybrid, legs }: Answers): string | null {
  const byId = new Map(units.map((unit) => [unit.id, unit]));
  const wrongId = (id: string) => {
    const unit = byId.get(id);
    if (unit === undefined) return `has '${id}', which is no unit of the corpus`;
    return unit.live ? null : `has '${id}', which is hidden`;
  };
  for (const id of legs.flat()) {
    const wrong = wrongId(id);
    if (wrong !== null) return `A leg ${wrong}.`;
  }
  for (const { id, text } of hybrid.flat()) {
    const wrong = wrongId(id) ?? (hasTextOf(byId.get(id)!, text) ? null : `has '${id}' without its text`);
    if (wrong !== null) return `A hybrid search ${wrong}.`;
  }
  return null;
}

/** Shorter than any description or body of the corpus: a line of tags or a parameter is not the text of a unit. */
const MIN_TEXT = 20;

/** Its name, then its text or a passage of it: Dowser cuts what is long around the words of the query. */
function hasTextOf(unit: BenchUnit, shown: string): boolean {
  const [name, ...lines] = shown.split('\n');
  const passage = lines.join('\n').replace(/^… | …$/g, '');
  return name === unit.name && passage.length >= MIN_TEXT && unit.text.includes(passage);
}

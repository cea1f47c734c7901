import { explainInWords } from '../../model/answer/explain-in-words.ts';
import type { SearchResult } from '../../model/answer/result.ts';
import { scoredInstead, scoreStory, type Told } from './score-story.ts';
import type { Style } from './terminal.ts';
import { oneLine } from './text-width.ts';

/** Shown with four decimals, so counted in ten thousandths. */
const STEPS = 10_000;

/** Rounds the parts of a sum so that they add up to the rounded sum, by the largest remainder method. */
function roundedParts(parts: readonly Told[], total: number): readonly number[] {
  const exact = parts.map(({ value }) => value * STEPS);
  const steps = exact.map(Math.floor);
  const missing = total - steps.reduce((sum, step) => sum + step, 0);
  const byLoss = exact.map((value, i) => ({ i, lost: value - steps[i]! })).sort((a, b) => b.lost - a.lost || a.i - b.i);
  for (const { i } of byLoss.slice(0, Math.max(0, missing))) steps[i]! += 1;
  return steps;
}

/** Why a result has its score, one part per line. Empty without an explanation. */
export function scoreLines(result: SearchResult, query: string, style: Style, indent = ''): readonly string[] {
  const { explanation } = result;
  if (explanation === undefined) return [];
  const instead = scoredInstead(explanation, result);
  const tree = explanationTree(scoreStory(explanation, query), style, indent);
  const sentence = explainInWords(explanation, query);
  return [
    ...(sentence === null ? [] : [`${indent}${oneLine(sentence)}`]),
    ...tree.trimEnd().split('\n'),
    ...(instead === null ? [] : [`${indent}${style.dim(oneLine(instead))}`]),
  ];
}

/** The tree of a score, indented; the numbers under a line add up to the number on it. */
export function explanationTree(node: Told, style: Style, indent = ''): string {
  return draw(node, Math.round(node.value * STEPS), style, indent);
}

function draw({ label, note, parts = [] }: Told, steps: number, style: Style, indent: string): string {
  const more = note === undefined ? '' : style.dim(`  (${oneLine(note)})`);
  const line = `${indent}${(steps / STEPS).toFixed(4).padStart(7)}  ${oneLine(label)}${more}\n`;
  const rounded = roundedParts(parts, steps);
  return line + parts.map((part, i) => draw(part, rounded[i]!, style, `${indent}    `)).join('');
}

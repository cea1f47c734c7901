import type { Explanation } from '../../model/explanation.ts';
import type { Style } from './terminal.ts';
import { oneLine } from './text-width.ts';

/** Shown with four decimals, so counted in ten thousandths. */
const STEPS = 10_000;
/** A part this small is the remainder of a floating-point sum, not a reason. */
const NOTHING = 1e-9;

const shown = (value: number | string) =>
  typeof value === 'number' ? String(Number(value.toPrecision(4))) : oneLine(value);

/**
 * Rounds the parts of a sum so that what is shown adds up to what is shown above it: all are rounded down, and those
 * that lost most get the missing steps back (largest remainder).
 */
function roundedParts(parts: readonly Explanation[], total: number): readonly number[] {
  const exact = parts.map(({ value }) => value * STEPS);
  const steps = exact.map(Math.floor);
  const missing = total - steps.reduce((sum, step) => sum + step, 0);
  const byLoss = exact.map((value, i) => ({ i, lost: value - steps[i]! })).sort((a, b) => b.lost - a.lost || a.i - b.i);
  for (const { i } of byLoss.slice(0, Math.max(0, missing))) steps[i]! += 1;
  return steps;
}

/** The tree of a score, indented; the numbers under a line add up to the number on it. */
export function explanationTree(node: Explanation, style: Style, indent = ''): string {
  return draw(node, Math.round(node.value * STEPS), style, indent);
}

function draw(node: Explanation, steps: number, style: Style, indent: string): string {
  const detail = Object.entries(node.detail ?? {}).map(([name, value]) => `${name} ${shown(value)}`);
  const note = detail.length === 0 ? '' : style.dim(`  (${detail.join(', ')})`);
  const line = `${indent}${(steps / STEPS).toFixed(4).padStart(7)}  ${oneLine(node.label)}${note}\n`;
  const parts = (node.parts ?? []).filter((part) => part.detail !== undefined || Math.abs(part.value) > NOTHING);
  const rounded = roundedParts(parts, steps);
  return line + parts.map((part, i) => draw(part, rounded[i]!, style, `${indent}    `)).join('');
}

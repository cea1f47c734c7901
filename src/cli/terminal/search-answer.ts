import { LOW_CONFIDENCE } from '../../model/answer/low-confidence.ts';
import type { SearchResponse, SearchResult } from '../../model/answer/result.ts';
import { LAST_RESULT } from '../../model/query/query.ts';
import { scoreLines } from './explanation-tree.ts';
import { FIRST_STEPS } from './first-steps.ts';
import { exactPercent, percent } from './percent.ts';
import { formatCount, formatThings } from './progress.ts';
import type { Style, Terminal } from './terminal.ts';
import { cut, oneLine, padEnd, textWidth, wrap } from './text-width.ts';

const BAR_CELLS = 5;

/** How many values of a facet are shown. */
const MAX_VALUES = 10;

export interface AnswerOptions {
  /** Whether nothing is registered at all. Default false. */
  readonly isEmpty?: boolean;
  /** How many results were skipped. Default 0. */
  readonly offset?: number;
  /** The number of all matches. Only a search by tags alone has one. */
  readonly total?: number | undefined;
  /** The minimum confidence of the request, if any. */
  readonly minConfidence?: number | undefined;
}

/** `10 of 24 results after the first 10` */
function countOf(shown: number, offset: number, total: number | undefined): string {
  const after = offset === 0 || shown === 0 ? '' : ` after the first ${offset}`;
  if (total === undefined || total <= shown || shown === 0) return `${formatThings(shown, 'result')}${after}`;
  // Matches beyond the last page may not be counted.
  const all = total > LAST_RESULT ? `more than ${LAST_RESULT}` : formatCount(total);
  return `${shown} of ${all} results${after}`;
}

/** The bar compares the results of one answer. The number is the confidence, which means the same in every answer. */
function ratingOf({ relevance_score: score, confidence }: SearchResult): string {
  const filled = Math.round(score * BAR_CELLS);
  return `${'▰'.repeat(filled)}${'▱'.repeat(BAR_CELLS - filled)} ${percent(confidence).padStart(4)}`;
}

/** The matching part of the entity. Empty if it is the entity as a whole. */
export function matchedPart({ matched_unit: unit, tool_name }: SearchResult): string {
  return unit.kind === 'card' || tool_name !== undefined ? '' : `${unit.kind.replace('_', ' ')} ${oneLine(unit.title)}`;
}

/** The warnings of an answer, for standard error. */
export function warningLines(warnings: readonly string[], style: Style): readonly string[] {
  return warnings.map((warning) => style.yellow(`warning: ${oneLine(warning)}`));
}

/** The stage that lost the entity of `--why-not`, and what to change. */
function whyNotLines({ why_not: why }: SearchResponse, { style }: Terminal): readonly string[] {
  if (why === undefined) return [];
  const head = why.stage === 'shown' ? `${oneLine(why.id)} is shown.` : `${oneLine(why.id)} was lost at: ${why.stage}.`;
  const hint = why.hint === null ? [] : [`  ${oneLine(why.hint)}`];
  return ['', style.bold(head), `  ${oneLine(why.reason)}`, ...hint];
}

/** A search answer for people: two lines per result, more if a name or a path does not fit. The description is cut. */
export function searchAnswer(answer: SearchResponse, terminal: Terminal, options: AnswerOptions = {}): string {
  const { offset = 0, total, isEmpty = false, minConfidence } = options;
  const { style } = terminal;
  const { results, nearest = [] } = answer;
  const count = countOf(results.length, offset, total);
  const lines = [style.dim(`${count} (mode ${answer.search_mode}, preset ${answer.preset})`)];
  if (results.length > 0) {
    const doubt = offset === 0 ? doubtOf(answer) : null;
    if (doubt !== null) lines.push(style.yellow(doubt));
    lines.push(...resultLines(results, { query: answer.query, offset }, terminal));
  } else if (nearest.length > 0) {
    const why =
      minConfidence === undefined ? 'Nothing fits' : `Nothing has a confidence of ${exactPercent(minConfidence)}`;
    // The best of bad results has a full score.
    const shown = nearest.map((result) => ({ ...result, relevance_score: result.confidence }));
    lines.push(
      `${why}. The nearest, with their confidence:`,
      ...resultLines(shown, { query: answer.query, offset: 0 }, terminal),
    );
  } else if (isEmpty) {
    lines.push(FIRST_STEPS);
  } else {
    const isPast = offset > 0 && answer.total_candidates > 0;
    lines.push(isPast ? 'There are no results this far down.' : 'Nothing fits. Try other words, or fewer filters.');
  }
  return `${[...lines, ...facetLines(answer, terminal), ...whyNotLines(answer, terminal)].join('\n')}\n`;
}

/** The best result always has a full score bar. This says if it is unlikely to answer the query. */
function doubtOf({ query, results }: SearchResponse): string | null {
  const hasWords = query.split(/\s+/).some((word) => word !== '' && !word.startsWith('#'));
  const sure = results[0]?.confidence ?? 0;
  if (!hasWords || sure >= LOW_CONFIDENCE) return null;
  return `Low confidence: the best match is ${percent(sure)}.`;
}

function resultLines(
  results: readonly SearchResult[],
  { query, offset }: { readonly query: string; readonly offset: number },
  { style, columns }: Terminal,
): readonly string[] {
  const rankWidth = String(offset + results.length).length;
  const typeWidth = Math.max(0, ...results.map(({ entity_type }) => entity_type.length));
  const indent = ' '.repeat(rankWidth + 2);
  return results.flatMap((result, i) => {
    const rank = String(offset + i + 1).padStart(rankWidth);
    const rating = ratingOf(result);
    const type = padEnd(result.entity_type, typeWidth);
    const marks = marksOf(result);
    const room = columns - textWidth(`${rank}  ${rating}  ${type}  ${marks}`);
    const name = oneLine(result.name);
    const below = columns - indent.length;
    // A name is never cut. If it does not fit beside the score, it goes below.
    const isBeside = textWidth(name) <= room;
    const names = (isBeside ? [name] : wrap(name, below)).map((line) => style.bold(line));
    const score = `${rank}  ${style.green(rating)}  ${style.cyan(type)}  ${style.red(marks)}`;
    const head = isBeside ? [`${score}${names[0]}`] : [score.trimEnd(), ...names.map((line) => `${indent}${line}`)];
    const place = placeOf(result, { beside: isBeside ? room - textWidth(`${name}  `) : 0, below });
    const text = oneLine(result.description === '' ? (result.match_context ?? '') : result.description);
    return [
      ...(place.isBeside
        ? [`${head[0]}  ${style.dim(place.lines[0]!)}`]
        : [...head, ...place.lines.map((line) => `${indent}${style.dim(line)}`)]),
      ...(text === '' ? [] : [`${indent}${cut(text, below)}`]),
      ...scoreLines(result, query, style, indent),
    ];
  });
}

/** What a reader should know before using it. Each mark ends with two blanks. */
function marksOf({ health_status: health, status }: SearchResult): string {
  const marks = [...(health === 'unhealthy' ? ['dead'] : []), ...(status === undefined ? [] : [status])];
  return marks.map((mark) => `${mark}  `).join('');
}

/**
 * The path and the matching part: beside the name if both fit, otherwise below it. Neither is cut, because people copy them.
 * A terminal wraps a path that is longer than a line, and copies it whole.
 */
function placeOf(result: SearchResult, room: { readonly beside: number; readonly below: number }) {
  const { origin } = result;
  const path = origin === undefined ? oneLine(result.path) : `${oneLine(result.path)} at ${oneLine(origin.url)}`;
  const part = matchedPart(result);
  const whole = part === '' ? path : `${path} > ${part}`;
  const isBeside = textWidth(whole) <= room.beside;
  if (isBeside || part === '' || textWidth(whole) <= room.below) return { isBeside, lines: [whole] };
  return { isBeside, lines: [path, ...wrap(`> ${part}`, room.below)] };
}

/** The number of matches for each value, as the answer has them. */
function facetLines({ facets = {} }: SearchResponse, { style, columns }: Terminal): readonly string[] {
  const named = Object.entries(facets);
  const width = Math.max(0, ...named.map(([field]) => field.length));
  return named.map(([field, counts]) => {
    const shown = counts.slice(0, MAX_VALUES).map(({ value, count }) => `${oneLine(value)} ${formatCount(count)}`);
    const rest = counts.length > MAX_VALUES ? [`and ${counts.length - MAX_VALUES} more`] : [];
    const values = shown.length === 0 ? 'none' : [...shown, ...rest].join(', ');
    return `${style.dim(field.padEnd(width))}  ${cut(values, columns - width - 2)}`;
  });
}

import type { SearchResponse, SearchResult } from '../../model/result.ts';
import { explanationTree } from './explanation-tree.ts';
import { formatCount } from './progress.ts';
import type { Style, Terminal } from './terminal.ts';
import { cut, oneLine, padEnd, textWidth } from './text-width.ts';

const BAR_CELLS = 5;

/** A result that is surer than this rather answers the query than not: see `confidence.ts`. */
const RATHER_SURE = 0.5;

/** How many values of a facet are shown. */
const MOST_VALUES = 10;

export interface AnswerOptions {
  /** Whether nothing is registered at all. Default false. */
  readonly isEmpty?: boolean;
  /** How many results were passed over. Default 0. */
  readonly offset?: number;
  /** Say for each result how sure it is. */
  readonly showConfidence?: boolean;
  /** How sure results had to be, where that was asked for. */
  readonly minConfidence?: number;
}

const percent = (share: number) => `${Math.round(share * 100)}%`;

function scoreBar(score: number): string {
  const filled = Math.round(score * BAR_CELLS);
  return `${'▰'.repeat(filled)}${'▱'.repeat(BAR_CELLS - filled)} ${percent(score).padStart(4)}`;
}

/** Which part of the entity was found, where that is not the entity as a whole. */
function matchedPart({ matched_unit: unit, tool_name }: SearchResult): string {
  return unit.kind === 'card' || tool_name !== undefined ? '' : `${unit.kind.replace('_', ' ')} ${oneLine(unit.title)}`;
}

/** What the reader of an answer should know, a line each: for standard error, so that results stay alone. */
export function warningLines(warnings: readonly string[], style: Style): readonly string[] {
  return warnings.map((warning) => style.yellow(`warning: ${oneLine(warning)}`));
}

/** A search answer for people: two lines a result, each cut to the terminal. */
export function searchAnswer(answer: SearchResponse, terminal: Terminal, options: AnswerOptions = {}): string {
  const { offset = 0, showConfidence = false, isEmpty = false, minConfidence } = options;
  const { style } = terminal;
  const { results, nearest = [] } = answer;
  const count = results.length === 1 ? '1 result' : `${results.length} results`;
  const after = offset === 0 || results.length === 0 ? '' : ` after the first ${offset}`;
  const lines = [style.dim(`${count}${after} (mode ${answer.search_mode}, preset ${answer.preset})`)];
  if (results.length > 0) {
    const doubt = offset === 0 ? doubtOf(answer) : null;
    if (doubt !== null) lines.push(style.yellow(doubt));
    lines.push(...resultLines(results, { offset, showConfidence }, terminal));
  } else if (nearest.length > 0) {
    const why = minConfidence === undefined ? 'Nothing fits' : `Nothing has a confidence of ${percent(minConfidence)}`;
    // The best of a bad answer has a full relevance; how sure it is says more here.
    const shown = nearest.map((result) => ({ ...result, relevance_score: result.confidence }));
    lines.push(`${why}. The nearest, with their confidence:`, ...resultLines(shown, {}, terminal));
  } else if (isEmpty) {
    lines.push('Add something with `dowser add` or `dowser import`, or try `dowser serve --example`.');
  } else {
    const isPast = offset > 0 && answer.total_candidates > 0;
    lines.push(isPast ? 'There are no results this far down.' : 'Nothing fits. Try other words, or fewer filters.');
  }
  return `${[...lines, ...facetLines(answer, terminal)].join('\n')}\n`;
}

/** The score bars say what fits best, also where nothing fits well: then the reader is told. Tags alone leave no doubt. */
function doubtOf({ query, results }: SearchResponse): string | null {
  const hasWords = query.split(/\s+/).some((word) => word !== '' && !word.startsWith('#'));
  const surest = Math.max(...results.map(({ confidence }) => confidence));
  if (!hasWords || surest >= RATHER_SURE) return null;
  return `Perhaps none of these is what you look for (confidence ${percent(surest)} at most).`;
}

function resultLines(
  results: readonly SearchResult[],
  { offset = 0, showConfidence = false }: AnswerOptions,
  { style, columns }: Terminal,
): readonly string[] {
  const rankWidth = String(offset + results.length).length;
  const typeWidth = Math.max(0, ...results.map(({ entity_type }) => entity_type.length));
  const indent = ' '.repeat(rankWidth + 2);
  return results.flatMap((result, i) => {
    const rank = String(offset + i + 1).padStart(rankWidth);
    const bar = scoreBar(result.relevance_score);
    const type = padEnd(result.entity_type, typeWidth);
    const dead = result.health_status === 'unhealthy' ? 'dead  ' : '';
    const room = columns - textWidth(`${rank}  ${bar}  ${type}  ${dead}`);
    const name = cut(oneLine(result.name), room);
    const part = matchedPart(result);
    const path = cut(`  ${oneLine(result.path)}${part === '' ? '' : ` > ${part}`}`, room - textWidth(name));
    const head = `${rank}  ${style.green(bar)}  ${style.cyan(type)}  ${style.red(dead)}${style.bold(name)}${style.dim(path)}`;
    const said = oneLine(result.description === '' ? (result.match_context ?? '') : result.description);
    const sure = showConfidence ? `confidence ${percent(result.confidence)}` : '';
    const text = [sure, said].filter((words) => words !== '').join('  ');
    return [
      head,
      ...(text === '' ? [] : [`${indent}${cut(text, columns - indent.length)}`]),
      ...(result.explanation === undefined ? [] : [explanationTree(result.explanation, style, indent).trimEnd()]),
    ];
  });
}

/** How many of what matched have each value, most first, as the answer has them. */
function facetLines({ facets = {} }: SearchResponse, { style, columns }: Terminal): readonly string[] {
  const named = Object.entries(facets);
  const width = Math.max(0, ...named.map(([field]) => field.length));
  return named.map(([field, counts]) => {
    const shown = counts.slice(0, MOST_VALUES).map(({ value, count }) => `${oneLine(value)} ${formatCount(count)}`);
    const rest = counts.length > MOST_VALUES ? [`and ${counts.length - MOST_VALUES} more`] : [];
    const values = shown.length === 0 ? 'none' : [...shown, ...rest].join(', ');
    return `${style.dim(field.padEnd(width))}  ${cut(values, columns - width - 2)}`;
  });
}

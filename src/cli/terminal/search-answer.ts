import type { SearchResponse, SearchResult } from '../../model/result.ts';
import { explanationTree } from './explanation-tree.ts';
import type { Style, Terminal } from './terminal.ts';
import { cut, oneLine, padEnd, textWidth } from './text-width.ts';

const BAR_CELLS = 5;

function scoreBar(score: number): string {
  const filled = Math.round(score * BAR_CELLS);
  return `${'▰'.repeat(filled)}${'▱'.repeat(BAR_CELLS - filled)} ${`${Math.round(score * 100)}%`.padStart(4)}`;
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
export function searchAnswer(answer: SearchResponse, terminal: Terminal): string {
  const { style, columns } = terminal;
  const { results } = answer;
  const count = results.length === 1 ? '1 result' : `${results.length} results`;
  const lines = [style.dim(`${count} (mode ${answer.search_mode}, preset ${answer.preset})`)];
  if (results.length === 0) lines.push('Nothing fits. Try other words, or fewer filters.');
  const rankWidth = String(results.length).length;
  const typeWidth = Math.max(0, ...results.map(({ entity_type }) => entity_type.length));
  const indent = ' '.repeat(rankWidth + 2);
  results.forEach((result, i) => {
    const rank = String(i + 1).padStart(rankWidth);
    const bar = scoreBar(result.relevance_score);
    const type = padEnd(result.entity_type, typeWidth);
    const room = columns - textWidth(`${rank}  ${bar}  ${type}  `);
    const name = cut(oneLine(result.name), room);
    const part = matchedPart(result);
    const path = cut(`  ${oneLine(result.path)}${part === '' ? '' : ` > ${part}`}`, room - textWidth(name));
    lines.push(`${rank}  ${style.green(bar)}  ${style.cyan(type)}  ${style.bold(name)}${style.dim(path)}`);
    const text = oneLine(result.description === '' ? (result.match_context ?? '') : result.description);
    if (text !== '') lines.push(`${indent}${cut(text, columns - indent.length)}`);
    if (result.explanation !== undefined) lines.push(explanationTree(result.explanation, style, indent).trimEnd());
  });
  return `${lines.join('\n')}\n`;
}

import type { Option, Recommendation } from '../../registry/contract/recommend-schemas.ts';
import type { Terminal } from './terminal.ts';
import { oneLine } from './text-width.ts';

type Member = Recommendation['prerequisites']['needed_first'][number];

/** A recommendation for people: the choice first, then what else there is. */
export function recommendationText(answer: Recommendation, { style }: Terminal): string {
  const { recommendations, alternatives, relaxed, questions, prerequisites, no_match } = answer;
  const lines: string[] = [];
  if (recommendations.length === 0) lines.push('Nothing fits.');
  else if (no_match) lines.push(style.dim('Nothing matches the words. The best maintained:'));
  for (const option of recommendations) lines.push(...optionLines(option, style));
  if (relaxed.length > 0) lines.push('', `Nothing matches every wish. Dropped: ${relaxed.join(', ')}.`);
  if (alternatives.length > 0) {
    lines.push('', style.dim('Alternatives'), ...alternatives.map((option) => `  ${nameOf(option)}`));
  }
  lines.push(...memberLines('Needed first', prerequisites.needed_first, style));
  lines.push(...memberLines('Used with it', prerequisites.used_with, style));
  for (const { dimension, question, options } of questions) {
    lines.push('', `${question} ${options.join(', ')}`, style.dim(`  Answer with --${dimension} <value>.`));
  }
  return `${lines.join('\n')}\n`;
}

type Style = Terminal['style'];

const nameOf = ({ name, entity_type, path }: Option) => `${oneLine(name)}  ${entity_type}:${oneLine(path)}`;

function optionLines(option: Option, style: Style): readonly string[] {
  const label = option.stability === 'unknown' ? '' : style.dim(`  ${option.stability}`);
  const { name, entity_type, path, reasons, evidence } = option;
  return [
    `${style.bold(oneLine(name))}  ${entity_type}:${oneLine(path)}${label}`,
    ...(option.description === '' ? [] : [`  ${oneLine(option.description)}`]),
    `  ${reasons.map(oneLine).join('; ')}`,
    ...evidence.map((text) => style.dim(`  ${oneLine(text)}`)),
  ];
}

function memberLines(title: string, members: readonly Member[], style: Style): readonly string[] {
  if (members.length === 0) return [];
  return [
    '',
    style.dim(title),
    ...members.map(({ entity_type, path, why }) => `  ${entity_type}:${oneLine(path)}  ${style.dim(oneLine(why))}`),
  ];
}

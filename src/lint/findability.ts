import type { McpServer } from '../model/entity.ts';
import type { ListedTool } from '../model/entity-types/descriptor.ts';
import { analyze } from '../search/text/analyzer.ts';
import { parametersOf } from './description.ts';
import type { Question } from './paraphrase.ts';
import type { Finding } from './rules.ts';

/** A tool further down counts as not found: agents read no more. */
export const FOUND_WITHIN = 10;

export interface AskedQuestion extends Question {
  /** From 1; null if the tool is not among the first ten. */
  readonly rank: number | null;
  /** The tool in the first place. Null: nothing was found. */
  readonly first: string | null;
}

export interface Findability {
  readonly tool: string;
  /** The mean of 1/rank over the questions, 0 to 1. Null without questions. */
  readonly share: number | null;
  readonly questions: readonly AskedQuestion[];
  /** Tools that came first in its place, most often first. */
  readonly taken_by: readonly { readonly path: string; readonly times: number }[];
}

/** What became of a question. `shown`: the tools that a search shows for it, best first, as `/server#tool`. */
export function askedQuestion(question: Question, path: string, shown: readonly string[]): AskedQuestion {
  const at = shown.slice(0, FOUND_WITHIN).indexOf(path);
  return { ...question, rank: at === -1 ? null : at + 1, first: shown[0] ?? null };
}

export function findabilityOf(tool: string, path: string, questions: readonly AskedQuestion[]): Findability {
  const sum = questions.reduce((total, { rank }) => total + (rank === null ? 0 : 1 / rank), 0);
  const times = new Map<string, number>();
  for (const { first } of questions)
    if (first !== null && first !== path) times.set(first, (times.get(first) ?? 0) + 1);
  return {
    tool,
    share: questions.length === 0 ? null : sum / questions.length,
    questions,
    taken_by: [...times]
      .map(([other, count]) => ({ path: other, times: count }))
      .sort((a, b) => b.times - a.times || (a.path < b.path ? -1 : 1)),
  };
}

/** A tool that is always second has 0.5. */
const MIN_SHARE = 0.6;
const MAX_WORDS = 4;

/** What to change about a tool that is hard to find. `rival` gives the tool at a path. */
export function checkFindability(
  server: McpServer,
  { tool: name, share, questions, taken_by }: Findability,
  rival: (path: string) => ListedTool | undefined,
): readonly Finding[] {
  const tool = server.tools.find((listed) => listed.name === name);
  if (tool === undefined || share === null || share >= MIN_SHARE) return [];
  const missed = questions.filter(({ rank }) => rank !== 1).length;
  const [first] = taken_by;
  const problem = `${missed} of ${questions.length} questions with its own words do not show it first${first === undefined ? '.' : `: '${first.path}' does.`}`;
  const advice = first === undefined ? unfound(tool) : displaced(server, tool, first.path, rival(first.path));
  return [
    { rule: 'hard-to-find', tool: name, problem, advice: `${advice} For example: "${suggestedStart(server, tool)}"` },
  ];
}

const unfound = ({ description }: ListedTool): string =>
  description.trim() === '' ? 'Describe it.' : 'Use the words that users say: the action and what it works on.';

function displaced(server: McpServer, tool: ListedTool, path: string, other: ListedTool | undefined): string {
  const isSibling = path.startsWith(`${server.path}#`);
  const theirs = new Set(other === undefined ? [] : wordsThatTell(other).flatMap(analyze));
  const own = wordsThatTell(tool).filter((word) => analyze(word).every((term) => !theirs.has(term)));
  const words = own.slice(0, MAX_WORDS).join(', ');
  const named = words === '' ? '' : ` Only this tool has: ${words}.`;
  return isSibling
    ? `Say in the first sentence how it differs from its sibling.${named}`
    : `Say in the first sentence what it works on, with the name of the product.${named}`;
}

/** Words of its name, its parameters and the rest of its description, without repeats. */
function wordsThatTell({ name, description, inputSchema }: ListedTool): readonly string[] {
  const text = [name, ...parametersOf(inputSchema).map((parameter) => parameter.name), description].join(' ');
  const words = text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').match(/\p{L}{3,}/gu) ?? [];
  const seen = new Set<string>();
  return words
    .map((word) => word.toLowerCase())
    .filter((word) => analyze(word).length > 0 && !seen.has(word) && seen.add(word));
}

/**
 * A first sentence that follows the advice: what the description begins with, what the tool works on, and what it takes. A
 * start to edit, made without a model.
 */
export function suggestedStart(server: McpServer, tool: ListedTool): string {
  const spoken = (name: string) =>
    name
      .replaceAll(/([a-z\d])([A-Z])|[_.\-/]+/g, '$1 $2')
      .replaceAll(/\s+/g, ' ')
      .trim();
  const [line = ''] = tool.description.trim().split(/(?<=[.!?])\s|\n/);
  const sentence = line.replace(/[.!?:]$/, '').trim();
  const start = sentence === '' ? capitalized(spoken(tool.name).toLowerCase()) : sentence;
  const said = new Set(analyze(start));
  const isNew = (text: string) => analyze(text).some((term) => !said.has(term));
  const action = sentence !== '' && isNew(spoken(tool.name)) ? `${capitalized(spoken(tool.name).toLowerCase())}: ` : '';
  const subject = isNew(server.name) ? ` in ${server.name}` : '';
  const parameters = parametersOf(tool.inputSchema)
    .map(({ name }) => spoken(name).toLowerCase())
    .filter(isNew)
    .slice(0, MAX_WORDS);
  const taking = parameters.length === 0 ? '' : `, by ${parameters.join(', ')}`;
  return `${action}${start}${subject}${taking}.`;
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

import type { ListedTool } from '../model/entity-types/descriptor.ts';
import { trimChars } from '../model/text/trim-chars.ts';
import { analyze } from '../search/text/analyzer.ts';
import { parametersOf, verbOf } from './description.ts';

/** Questions that a user of this tool may ask, who does not know its name or that of its server. */
export interface Question {
  readonly text: string;
  readonly from: 'sentence' | 'task' | 'synonym' | 'parameters' | 'example' | 'name';
}

/** Longer questions are cut after a word. */
const MAX_CHARS = 200;
const TASK_WORDS = 8;
const MAX_PARAMETERS = 4;
const MAX_EXAMPLES = 3;

/** Another word that users say for it. */
const SYNONYMS: Readonly<Record<string, string>> = {
  add: 'create',
  create: 'add',
  delete: 'remove',
  edit: 'change',
  execute: 'run',
  fetch: 'get',
  find: 'look up',
  get: 'fetch',
  list: 'show all',
  modify: 'change',
  query: 'search',
  read: 'open',
  remove: 'delete',
  retrieve: 'get',
  return: 'get',
  run: 'execute',
  search: 'find',
  send: 'post',
  show: 'display',
  update: 'change',
  write: 'save',
};

/** What a task is not about: how it is done, and when. */
const SIDE_CLAUSE = /^(?:using|via|with|by|when|which|that|if|given|based|including|such|so|and)$/i;

/**
 * The questions of one tool: its first sentence, its verb and object, these with another verb, with the required parameters, and
 * its examples. Always the same for the same definition. A tool without a description is asked for by the words of its name.
 */
export function questionsFor(tool: ListedTool, serverName: string): readonly Question[] {
  const plain = (text: string) => withoutNames(text, tool.name, serverName);
  const sentence = plain(firstSentence(tool.description));
  const words = wordsOf(sentence === '' ? tool.name.replaceAll(/([a-z\d])([A-Z])|[_.\-/]+/g, '$1 $2') : sentence);
  const task = taskOf(words);
  const [verb = '', ...object] = task;
  const synonym = SYNONYMS[verb];
  const parameters = parametersOf(tool.inputSchema)
    .filter(({ isRequired }) => isRequired)
    .slice(0, MAX_PARAMETERS)
    .map(({ name }) => wordsOf(name.replaceAll(/([a-z\d])([A-Z])|[_.-]+/g, '$1 $2')).join(' '));
  const asked: readonly Question[] = [
    { from: sentence === '' ? 'name' : 'sentence', text: words.join(' ') },
    { from: 'task', text: task.join(' ') },
    ...(synonym === undefined ? [] : [{ from: 'synonym' as const, text: [synonym, ...object].join(' ') }]),
    ...(parameters.length === 0
      ? []
      : [{ from: 'parameters' as const, text: `${task.join(' ')} by ${parameters.join(', ')}` }]),
    ...(tool.examples ?? []).slice(0, MAX_EXAMPLES).map((text) => ({ from: 'example' as const, text: plain(text) })),
  ];
  const seen = new Set<string>();
  return asked
    .map(({ from, text }) => ({ from, text: cutAfterWord(text) }))
    .filter(({ text }) => text !== '' && !seen.has(text) && seen.add(text));
}

/** The text to the first full stop, line break or end of a question. */
function firstSentence(text: string): string {
  const start = text.trim();
  const end = /[.!?](?=\s)|\n/.exec(start);
  return end === null ? start : start.slice(0, end.index);
}

/**
 * `create_issue` goes, "create an issue" stays. Of the server's name, only words with a capital letter go: in "list tasks in Task
 * Manager", the tasks are what the tool works on.
 */
function withoutNames(text: string, tool: string, server: string): string {
  const isIdentifier = /[_.\-/]|[a-z][A-Z]/.test(tool);
  const words = (isIdentifier ? text.split(tool).join(' ') : text).split(/\s+/).filter((word) => word !== '');
  const name = new Set(analyze(server));
  const isOfName = (word: string) => {
    const terms = analyze(word);
    return /\p{Lu}/u.test(word) && terms.length > 0 && terms.every((term) => name.has(term));
  };
  const kept = words.filter((word, at) => at === 0 || !isOfName(word));
  return (kept.length < 2 ? words : kept).join(' ');
}

/** Words without marks at their edges. The first one as a verb in its base form: "Retrieves" becomes `retrieve`. */
function wordsOf(text: string): readonly string[] {
  const words = text
    .split(/\s+/)
    .map((word) => trimChars(word, '.,;:!?()[]{}"\'`*#-'))
    .filter((word) => word !== '');
  const [first, ...others] = words;
  return first === undefined ? [] : withoutTail([verbOf(first) ?? first.toLowerCase(), ...others]);
}

const TAIL = new Set('a an and as at by for from in into of on or the to via with'.split(' '));

/** "list tasks in" becomes "list tasks": a name or a side clause was cut off. */
const withoutTail = (words: readonly string[]): readonly string[] =>
  words.slice(0, words.findLastIndex((word) => !TAIL.has(word.toLowerCase())) + 1);

/** The verb and its object: the words before the first side clause, from the verb on. */
function taskOf(words: readonly string[]): readonly string[] {
  const side = words.findIndex((word, at) => at > 1 && SIDE_CLAUSE.test(word));
  return withoutTail(words.slice(0, side === -1 ? TASK_WORDS : Math.min(side, TASK_WORDS)));
}

function cutAfterWord(text: string): string {
  if (text.length <= MAX_CHARS) return text.trim();
  const end = text.lastIndexOf(' ', MAX_CHARS);
  return text.slice(0, end === -1 ? MAX_CHARS : end).trim();
}

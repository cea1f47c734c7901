/** A set of actions: a number with one bit for each, because a word can mean more than one. 0: unknown. */
export type Actions = number;

export const LIST = 1;
export const GET = 2;
export const CREATE = 4;
export const UPDATE = 8;
export const DELETE = 16;
/** To carry out what the server keeps: a query, a script, a job. */
export const RUN = 32;
/** Only asked for: of something that exists, so a tool that only makes new things does the opposite. */
export const EXISTING = 64;
/** To find some of many. A tool that lists all is a near miss, see `actions.ts`. */
export const SEARCH = 128;
export const READ = LIST | GET | SEARCH;
export const CHANGE = CREATE | UPDATE;

const WORDS: readonly (readonly [Actions, string])[] = [
  [LIST, 'list browse discover explore'],
  [SEARCH, 'search find query'],
  [
    GET,
    'get read fetch view show describe inspect retrieve lookup preview download check verify validate count compare',
  ],
  [GET, 'see look display summarize explain analyze determine identify locate recall calculate know tell'],
  [
    CREATE,
    'create add new insert append generate draft compose register upload publish invite send post reply respond remember',
  ],
  [UPDATE, 'update edit change modify rename replace set patch adjust move reschedule assign overwrite correct'],
  [UPDATE, 'merge push start stop restart pause resume scale approve deploy'],
  [CHANGE, 'write store save persist upsert put submit schedule book'],
  [DELETE, 'delete remove drop erase clear purge destroy forget wipe uninstall revoke'],
  [DELETE | UPDATE, 'cancel close archive reset'],
  [CREATE | GET, 'open'],
  [RUN, 'run execute invoke trigger rerun launch'],
];

const byWord = new Map<string, Actions>();
for (const [actions, words] of WORDS) for (const word of words.split(' ')) byWord.set(word, actions);
export const ACTIONS_BY_WORD: ReadonlyMap<string, Actions> = byWord;

/** The words of `createJiraIssue`, `delete_entities` or `list-events`. */
const NAME_WORD = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;
const PLURAL = /(?<!detail|stat|statu|new|analysi|content|setting|[su])s$/i;

/**
 * What a tool does, by its name. The first word that tells decides. A tool that gets several things lists them. `open_issue`
 * makes a new one, `open_nodes` shows some.
 */
export function actionsOfName(name: string): Actions {
  for (const [word] of name.matchAll(NAME_WORD)) {
    const actions = ACTIONS_BY_WORD.get(word.toLowerCase());
    if (actions === undefined) continue;
    if (word.toLowerCase() === 'open') return PLURAL.test(name) ? READ : CREATE;
    return actions === GET && PLURAL.test(name) ? READ : actions;
  }
  return 0;
}

/** Verbs that a description begins with, and that say for sure what the tool does. Others, such as `set` or `open`, say little. */
const SURE_VERBS: ReadonlySet<string> = new Set([
  ...'list search find get read fetch retrieve show describe inspect count compare view lookup'.split(' '),
  ...'create add append insert send update edit rename delete remove restart stop cancel move'.split(' '),
]);
/** Said of a tool, but hardly asked for. */
const TELLING_VERB = /^(?:return|tell|give)s?$/;
/** What stands between the verbs of `List, open or close tabs`. */
const VERBS = /^[a-z]+(?:(?:, (?:or |and )?| or | and |\/)[a-z]+)*/;
/** A description may be long, and its first words tell. */
const MAX_VERB_CHARS = 80;

/** What a tool does, by the verbs that its description begins with. 0 unless each of them is sure. */
export function actionsOfDescription(description: string): Actions {
  const [verbs = ''] = VERBS.exec(description.slice(0, MAX_VERB_CHARS).trimStart().toLowerCase()) ?? [];
  let actions = 0;
  for (const word of verbs.split(/, (?:or |and )?| or | and |\//)) {
    const verb = SURE_VERBS.has(word) ? word : word.replace(word.endsWith('ches') ? /es$/ : /s$/, '');
    if (TELLING_VERB.test(word)) actions |= GET;
    else if (SURE_VERBS.has(verb)) actions |= ACTIONS_BY_WORD.get(verb)!;
    else return 0;
  }
  return actions;
}

/** What a tool does, by its name, or else by its description: `pod_logs` reads. */
export function actionsOfTool(name: string, readDescription: () => string): Actions {
  const actions = actionsOfName(name);
  return actions === 0 ? actionsOfDescription(readDescription()) : actions;
}

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

/** The words of an identifier, folded: `projectIds`, `project-ids` and `PROJECT_IDS` are project, ids. */
export function wordsOf(identifier: string): readonly string[] {
  return identifier
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

export function singular(word: string): string {
  if (word.length < 4 || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:[sxz]|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

const ID_WORDS: ReadonlySet<string> = new Set([
  'id',
  'ids',
  'uid',
  'uuid',
  'guid',
  'key',
  'number',
  'slug',
  'arn',
  'gid',
]);

/** An id of these does not come from a call: it is set up once, or the caller makes it up. */
const NOT_FROM_A_CALL: ReadonlySet<string> = new Set([
  ...['access', 'api', 'app', 'auth', 'cache', 'client', 'correlation', 'encryption', 'idempotency', 'license'],
  ...['page', 'partition', 'phone', 'primary', 'private', 'public', 'request', 'row', 'secret', 'sort', 'ssh', 'start'],
  ...['end', 'line', 'max', 'min', 'port', 'sequence', 'serial', 'tax', 'vat', 'version', 'chain', 'model', 'sub'],
]);

/**
 * What an identifier is an id of: `issueId` of an issue, `board_column_id` of a column. Null where it is none. A bare `id`
 * is of what the tool is about.
 */
export function idNoun(field: string, toolNoun: string | null): string | null {
  const words = wordsOf(field);
  const last = words.at(-1);
  if (last === undefined || !ID_WORDS.has(last)) return null;
  if (words.length === 1) return last === 'id' ? toolNoun : null;
  const noun = singular(words.at(-2)!);
  return noun.length < 3 || NOT_FROM_A_CALL.has(noun) ? null : noun;
}

/** Verbs whose result has the thing, with its id. */
const FINDS: ReadonlySet<string> = new Set(['list', 'search', 'find', 'get', 'query', 'fetch', 'lookup', 'browse']);
const MAKES: ReadonlySet<string> = new Set(['create', 'add', 'new', 'start', 'insert', 'upload', 'register', 'make']);
/** Other verbs end the noun of a tool too, but their result gives no new id. */
const USES: ReadonlySet<string> = new Set([
  ...['update', 'delete', 'remove', 'set', 'move', 'edit', 'close', 'open', 'send', 'read', 'write', 'run', 'stop'],
  ...['archive', 'cancel', 'assign', 'modify', 'patch', 'put', 'post', 'share', 'copy', 'merge', 'check', 'execute'],
  ...['download', 'export', 'import', 'link', 'unlink', 'enable', 'disable', 'retrieve', 'show', 'describe', 'view'],
  ...['publish', 'restore', 'duplicate', 'invite', 'validate', 'reply', 'comment', 'complete', 'trigger', 'analyze'],
]);
const PREPOSITIONS: ReadonlySet<string> = new Set([
  'by',
  'for',
  'from',
  'in',
  'of',
  'on',
  'to',
  'with',
  'at',
  'within',
]);
/** Words behind the noun that say how it is given. */
const ENDINGS: ReadonlySet<string> = new Set([
  'details',
  'detail',
  'info',
  'information',
  'list',
  'all',
  'tool',
  'data',
]);

export interface ToolName {
  /** What the tool is about, singular. Null if its name does not say. */
  readonly noun: string | null;
  /** The word before the noun: `text` of `create_text_item`. Null if there is none. */
  readonly modifier: string | null;
  /** Whether its result has the thing itself: a list or search, or something new. */
  readonly gives: 'found' | 'made' | null;
}

/** Reads `list_open_issues_for_user` as: finds an issue. */
export function readToolName(name: string): ToolName {
  const words = wordsOf(name);
  const at = words.findIndex((word) => FINDS.has(word) || MAKES.has(word) || USES.has(word));
  if (at === -1) return { noun: null, modifier: null, gives: null };
  const verb = words[at]!;
  // `issues_list` has its verb at the end.
  const behind = words.slice(at + 1);
  const object = behind.length > 0 ? behind : words.slice(Math.max(0, at - 1), at);
  const end = object.findIndex((word) => PREPOSITIONS.has(word));
  const phrase = end === -1 ? object : object.slice(0, end);
  const nouns = phrase.filter((word) => !ENDINGS.has(word));
  const head = nouns.at(-1);
  const noun = head === undefined ? null : singular(head);
  const gives = FINDS.has(verb) ? 'found' : MAKES.has(verb) ? 'made' : null;
  return { noun, modifier: nouns.at(-2) ?? null, gives: noun === null ? null : gives };
}

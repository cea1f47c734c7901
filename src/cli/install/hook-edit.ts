import { isDeepStrictEqual } from 'node:util';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { parseJsonWithComments, type TextChange, valueChanges } from '../../sources/formats/json-with-comments.ts';
import { changed } from './text-change.ts';

/** A client that runs commands at the start and at the end of its sessions. */
export interface HookClient {
  readonly title: string;
  /** Its settings, from the folder of the project or of the user. */
  readonly file: string;
  /** One second in the unit of its time limits. */
  readonly second: number;
  /** The event after which a session is stored: its end, or that of each turn. What was stored of it before is replaced. */
  readonly captures: 'SessionEnd' | 'Stop';
}

export const HOOK_CLIENTS = {
  claude: { title: 'Claude Code', file: '.claude/settings.json', second: 1, captures: 'SessionEnd' },
  gemini: { title: 'Gemini CLI', file: '.gemini/settings.json', second: 1000, captures: 'SessionEnd' },
  codex: { title: 'Codex CLI', file: '.codex/hooks.json', second: 1, captures: 'Stop' },
} as const satisfies Readonly<Record<string, HookClient>>;
export type HookClientName = keyof typeof HOOK_CLIENTS;

/** The longest time that a hook may take: the model may have to load. */
const HOOK_SECONDS = 60;

type Hook = Readonly<Record<string, unknown>>;
/** What an installation wrote, by its event. */
export type WrittenHooks = Readonly<Record<string, Hook>>;

export const hooksFor = (client: HookClientName, command: string): WrittenHooks => {
  const { second, captures } = HOOK_CLIENTS[client];
  const timeout = HOOK_SECONDS * second;
  const of = (action: string): Hook => ({
    hooks: [{ type: 'command', command: `${command} hooks ${action}`, timeout }],
  });
  return { SessionStart: of('recall'), [captures]: of('capture') };
};

/** The hooks of an event in the settings of a client. Throws INVALID_FILE for settings of another shape. */
function listIn(text: string, file: string, event: string): readonly unknown[] {
  const wrong = (what: string) =>
    new DowserError('INVALID_FILE', `${what} of ${file} is not as expected.`, {
      hint: 'Correct it first; nothing was changed.',
    });
  const root = text.trim() === '' ? {} : parseJsonWithComments(text, file);
  if (!isJsonObject(root)) throw wrong('The content');
  const hooks = root.hooks ?? {};
  if (!isJsonObject(hooks)) throw wrong("'hooks'");
  const list = Object.hasOwn(hooks, event) ? hooks[event] : [];
  if (!Array.isArray(list)) throw wrong(`'hooks.${event}'`);
  return list;
}

/** Parsed objects have no prototype. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const placeOf = (list: readonly unknown[], hook: Hook): number =>
  list.findIndex((one) => isDeepStrictEqual(plain(one), plain(hook)));

/** The steps that add the hooks that are missing. Each is for the text that the one before it leaves. */
export function addHooks(text: string, file: string, hooks: WrittenHooks): readonly (readonly TextChange[])[] {
  const steps: (readonly TextChange[])[] = [];
  let now = text;
  if (text.trim() === '') {
    steps.push([{ at: 0, removed: text, added: '{}\n' }]);
    now = '{}\n';
  }
  for (const [event, hook] of Object.entries(hooks)) {
    const list = listIn(now, file, event);
    if (placeOf(list, hook) >= 0) continue;
    const step = valueChanges(now, ['hooks', event, list.length], hook, true);
    steps.push(step);
    now = changed(now, step);
  }
  return now === text || (steps.length === 1 && text.trim() === '') ? [] : steps;
}

/** The steps that take these hooks out, and the lists that are empty then. Others are left alone. */
export function removeHooks(text: string, file: string, hooks: WrittenHooks): readonly (readonly TextChange[])[] {
  const steps: (readonly TextChange[])[] = [];
  let now = text;
  const take = (path: readonly (string | number)[]) => {
    const step = valueChanges(now, [...path], undefined);
    steps.push(step);
    now = changed(now, step);
  };
  for (const [event, hook] of Object.entries(hooks)) {
    const list = listIn(now, file, event);
    const at = placeOf(list, hook);
    if (at < 0) continue;
    if (list.length === 1) take(['hooks', event]);
    else take(['hooks', event, at]);
  }
  const root = now.trim() === '' ? {} : parseJsonWithComments(now, file);
  const isEmpty = isJsonObject(root) && isJsonObject(root.hooks) && Object.keys(root.hooks).length === 0;
  if (steps.length > 0 && isEmpty) take(['hooks']);
  return steps;
}

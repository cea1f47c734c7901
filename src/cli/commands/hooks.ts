import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import type { TextChange } from '../../sources/formats/json-with-comments.ts';
import { withBackend } from '../context/backend.ts';
import {
  type CommandModule,
  type CommandRun,
  print,
  printJson,
  runNamed,
  settingsFor,
  warn,
  wrongOption,
} from '../context/context.ts';
import { digestOf, readIfThere, removeFile, replaceFile } from '../install/config-files.ts';
import {
  addHooks,
  HOOK_CLIENTS,
  type HookClientName,
  hooksFor,
  removeHooks,
  type WrittenHooks,
} from '../install/hook-edit.ts';
import { changed, diffLines, inverseOf } from '../install/text-change.ts';
import { capture, recall, sessionEvent } from '../memory/session-hooks.ts';
import { readStandardInput } from '../sources/standard-input.ts';
import { eachOnOneLine } from '../terminal/text-width.ts';

type Steps = readonly (readonly TextChange[])[];

/** What one installation wrote, to undo it. Of the rest of the file nothing is kept. */
interface HookInstallation {
  readonly client: HookClientName;
  readonly file: string;
  readonly hooks: WrittenHooks;
  readonly created: boolean;
  readonly steps: Steps;
  /** SHA-256 of the whole file afterwards. */
  readonly digest: string;
}

const KEPT = 'hooks.json';

async function readKept(dataDir: string): Promise<readonly HookInstallation[]> {
  const file = join(dataDir, KEPT);
  const text = await readIfThere(file);
  if (text === null) return [];
  const wrong = (what: string, cause?: unknown) =>
    new DowserError('INVALID_FILE', `${file} is not ${what}.`, {
      hint: 'Delete it: installed hooks then stay.',
      cause,
    });
  let kept: unknown;
  try {
    kept = JSON.parse(text);
  } catch (cause) {
    throw wrong('JSON', cause);
  }
  if (Array.isArray(kept) && kept.every(isInstallation)) return kept;
  throw wrong('a list of installations');
}

const isInstallation = (one: unknown): one is HookInstallation =>
  isJsonObject(one) && typeof one.file === 'string' && isJsonObject(one.hooks) && Array.isArray(one.steps);

const writeKept = (dataDir: string, kept: readonly HookInstallation[]): Promise<void> =>
  replaceFile(join(dataDir, KEPT), `${JSON.stringify(kept, null, 2)}\n`);

const applied = (text: string, steps: Steps): string => steps.reduce((now, step) => changed(now, step), text);

/** The command as a shell reads it. A data folder that was named is named there too. */
function commandOf({ options }: CommandRun): string {
  const { command = 'dowser', data } = options;
  const folder = data === undefined ? '' : ` --data ${JSON.stringify(resolve(String(data)))}`;
  return `${String(command)}${folder}`;
}

function placeOf({ options }: CommandRun): { readonly client: HookClientName; readonly file: string } {
  const names = Object.keys(HOOK_CLIENTS) as readonly HookClientName[];
  const client = names.find((name) => name === options.client);
  if (client === undefined) throw wrongOption('client', options.client, `one of ${names.join(', ')}`);
  if (typeof options.file === 'string') return { client, file: resolve(options.file) };
  return { client, file: join(options.project === true ? process.cwd() : homedir(), HOOK_CLIENTS[client].file) };
}

/** Shows the difference. Writes it only with `--yes`. */
async function install(run: CommandRun): Promise<number> {
  const { client, file } = placeOf(run);
  const { data_dir } = settingsFor(run).settings;
  const kept = await readKept(data_dir);
  const earlier = kept.find((one) => one.client === client && one.file === file);
  const isUndo = run.options.undo === true;
  if (isUndo && earlier === undefined) {
    throw new DowserError('NOT_FOUND', `Dowser did not install hooks into ${file}.`, {
      hint: 'Only what `dowser hooks install` wrote is taken back.',
    });
  }
  const before = await readIfThere(file);
  const text = before ?? '';
  const hooks = isUndo ? earlier!.hooks : hooksFor(client, commandOf(run));
  // Hooks of another command, from an earlier installation, make room.
  const cleared = isUndo || earlier === undefined ? [] : removeHooks(text, file, earlier.hooks);
  const isSame = !isUndo && addHooks(text, file, hooks).length === 0;
  const steps = isSame
    ? []
    : isUndo
      ? undoSteps(text, earlier!)
      : [...cleared, ...addHooks(applied(text, cleared), file, hooks)];
  const after = applied(text, steps);
  const writes = run.options.yes === true && run.options.dryRun !== true && (steps.length > 0 || isUndo);
  if (writes) {
    const isEmpty = isUndo && earlier!.created && ['', '{}'].includes(after.replaceAll(/\s/g, ''));
    if (isEmpty && before !== null) await removeFile(file);
    else if (steps.length > 0) await replaceFile(file, after);
    const others = kept.filter((one) => one !== earlier);
    const own = {
      client,
      file,
      hooks,
      created: before === null || earlier?.created === true,
      steps,
      digest: digestOf(after),
    };
    await writeKept(data_dir, isUndo ? others : [...others, own]);
  }
  const verb = isUndo ? 'removed' : 'installed';
  const state = isSame ? 'unchanged' : writes ? verb : `would be ${verb}`;
  print(run, { client, file, state, hooks }, () => {
    const { style } = run.out;
    const shown = diffLines(text, steps.length === 1 ? steps[0]! : wholeChange(text, after)).map((line) => {
      const safe = eachOnOneLine(line);
      return line.startsWith('+') ? style.green(safe) : line.startsWith('-') ? style.red(safe) : style.dim(safe);
    });
    const next = writes || isSame ? '' : 'Nothing was written. Add --yes to write it.\n';
    return `${[style.bold(file), ...shown, '', `hooks of ${HOOK_CLIENTS[client].title}: ${state}`].join('\n')}\n${next}`;
  });
  return 0;
}

/** The same file as then becomes the file of before, byte by byte. Otherwise only the hooks go. */
function undoSteps(text: string, { file, hooks, steps, digest }: HookInstallation): Steps {
  return digestOf(text) === digest ? steps.map(inverseOf).toReversed() : removeHooks(text, file, hooks);
}

/** One change that has all of them: what is between the first and the last sign that differs. */
function wholeChange(text: string, after: string): readonly TextChange[] {
  let start = 0;
  while (start < text.length && text[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(text.length, after.length) - start;
  while (end < most && text.at(-1 - end) === after.at(-1 - end)) end++;
  return text === after
    ? []
    : [{ at: start, removed: text.slice(start, text.length - end), added: after.slice(start, after.length - end) }];
}

/** Run by a client: whatever goes wrong, its session goes on. */
async function inSession(run: CommandRun, work: () => Promise<void>): Promise<number> {
  try {
    await work();
  } catch (thrown) {
    warn(run, toDowserError(thrown).message);
  }
  return 0;
}

const recallHook = (run: CommandRun) =>
  inSession(run, async () => {
    const event = sessionEvent(await readStandardInput());
    // A session that is resumed has it already.
    if (event === null || event.source === 'resume') return;
    const { data_dir } = settingsFor(run).settings;
    const found = await withBackend(run, { reads: true, missing: 'warn' }, async (backend) =>
      recall(await backend.memories(), data_dir, event),
    );
    if (run.options.json === true) return printJson(run, found);
    const name = event.hook_event_name;
    const said = { hookSpecificOutput: { hookEventName: name, additionalContext: found.text } };
    if (found.text !== '') run.out.write(`${JSON.stringify(said)}\n`);
  });

const captureHook = (run: CommandRun) =>
  inSession(run, async () => {
    const event = sessionEvent(await readStandardInput());
    if (event === null) return;
    const { data_dir } = settingsFor(run).settings;
    const done = await withBackend(run, {}, async (backend) => capture(await backend.memories(), data_dir, event));
    if (run.options.json === true) printJson(run, done);
  });

export const command: CommandModule = {
  run: (run) =>
    runNamed(run, 'hooks action', {
      install: () => install(run),
      recall: () => recallHook(run),
      capture: () => captureHook(run),
    }),
};

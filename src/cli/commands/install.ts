import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { McpServer } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { promptLikeParts } from '../../model/prompt-scan/prompt-like.ts';
import { slugOf } from '../../model/text/slug.ts';
import { publicArguments } from '../../sources/secrets/secret-references.ts';
import { CLIENT_FORMATS, type ClientName, variablesOf } from '../../standards/client-files.ts';
import { type ServerStart, startOf } from '../../standards/server-start.ts';
import { withBackend } from '../context/backend.ts';
import { type CommandModule, type CommandRun, print, settingsFor, warn, wrongOption } from '../context/context.ts';
import { getWanted } from '../context/named-entity.ts';
import { type ConfigFile, entryNamed, isSameEntry, withEntry, withoutEntry } from '../install/config-edit.ts';
import {
  digestOf,
  type Installation,
  readIfThere,
  readInstallations,
  removeFile,
  replaceFile,
  writeInstallations,
} from '../install/config-files.ts';
import { changed, diffLines, inverseOf } from '../install/text-change.ts';
import { eachOnOneLine } from '../terminal/text-width.ts';

const NAMES = Object.keys(CLIENT_FORMATS) as readonly ClientName[];

async function run(run: CommandRun): Promise<number> {
  const place = placeOf(run);
  return run.options.undo === true ? undo(run, place) : install(run, place);
}

interface Place {
  readonly client: ClientName;
  readonly file: string;
}

function placeOf({ options }: CommandRun): Place {
  const client = NAMES.find((name) => name === options.client);
  if (client === undefined) throw wrongOption('client', options.client, `one of ${NAMES.join(', ')}`);
  const { project, user } = CLIENT_FORMATS[client];
  if (typeof options.file === 'string') return { client, file: resolve(options.file) };
  return { client, file: options.project === true ? resolve(project) : join(homedir(), user(process.platform)) };
}

/** Shows the difference. Writes it only with `--yes`. */
async function install(run: CommandRun, { client, file }: Place): Promise<number> {
  const { settings } = settingsFor(run);
  const entity = await withBackend(
    run,
    { reads: true, missing: 'refuse' },
    async (backend) => (await getWanted(backend, run.args)).entity,
  );
  if (entity.type !== 'mcp_server') {
    throw new DowserError('INVALID_REQUEST', `'${entity.path}' is not an MCP server.`, {
      hint: 'Clients take MCP servers. `dowser skill install` installs a skill.',
    });
  }
  const start = startFor(entity);
  const name = nameOf(run, entity);
  const before = await readIfThere(file);
  const config: ConfigFile = { format: CLIENT_FORMATS[client], file, text: before ?? '' };
  const known = await readInstallations(settings.data_dir);
  const found = entryNamed(config, name);
  const earlier = known.find((one) => one.file === file && one.name === name);
  if (found !== undefined && (earlier === undefined || !isSameEntry(found, earlier.written))) {
    throw new DowserError('ALREADY_EXISTS', `${file} has a server '${name}' that was not installed by Dowser.`, {
      hint: 'Choose another name with --name, or remove it by hand.',
    });
  }
  const { changes, written } = withEntry(config, name, start);
  const isUnchanged = found !== undefined && isSameEntry(found, written);
  const writes = run.options.yes === true && run.options.dryRun !== true && !isUnchanged;
  if (writes) {
    const text = changed(config.text, changes);
    await replaceFile(file, text);
    // After an update, the way back leads to the file without the entry.
    const kept = { path: entity.path, client, file, name, written, digest: digestOf(text) };
    const one: Installation = { ...kept, created: before === null || earlier?.created === true, changes };
    await writeInstallations(settings.data_dir, [...known.filter((other) => other !== earlier), one]);
  }
  const variables = variablesOf(start);
  for (const { phrase } of promptLikeParts(entity))
    warn(run, `${entity.path} has text that reads like an instruction (“${phrase}”).`);
  const state = isUnchanged ? 'unchanged' : writes ? 'installed' : 'would be installed';
  const answer = { path: entity.path, client, file, name, state, entry: written, variables };
  print(run, answer, () => reportText(run, answer, isUnchanged ? [] : diffLines(config.text, changes), writes));
  return 0;
}

/** Literal values that look like secrets become references. */
function startFor(server: McpServer): ServerStart {
  const start = startOf(server);
  if (start === undefined) {
    throw new DowserError('INVALID_REQUEST', `Nobody said how to start or reach '${server.path}'.`, {
      field: 'path',
      hint: 'It has neither an address nor a command nor a package.',
    });
  }
  if ('url' in start) return start;
  const env = Object.entries(start.env).map(([variable, value]) => {
    const { secrets } = publicArguments([`${variable}=${value}`]);
    return [variable, secrets.length > 0 ? `\${${variable}}` : value] as const;
  });
  return { ...start, args: publicArguments(start.args).args, env: Object.fromEntries(env) };
}

function nameOf({ options }: CommandRun, { name, path }: McpServer): string {
  const given = options.name ?? (slugOf(name) || slugOf(path));
  if (typeof given === 'string' && /^[\w.-]{1,64}$/.test(given)) return given;
  throw wrongOption('name', given, 'letters, digits, dots, hyphens and underscores, at most 64');
}

/** Takes back what was installed, and nothing else. */
async function undo(run: CommandRun, { client, file }: Place): Promise<number> {
  const { data_dir } = settingsFor(run).settings;
  const known = await readInstallations(data_dir);
  const [wanted = ''] = run.args;
  const isWanted = ({ path, name }: Installation) => [path, `mcp_server:${path}`, name].includes(wanted);
  const one = known.findLast((other) => other.client === client && other.file === file && isWanted(other));
  if (one === undefined) {
    throw new DowserError('NOT_FOUND', `Dowser did not install '${wanted}' into ${file}.`, {
      hint: 'Only what `dowser install` wrote is taken back.',
    });
  }
  const text = (await readIfThere(file)) ?? '';
  const config: ConfigFile = { format: CLIENT_FORMATS[client], file, text };
  const found = entryNamed(config, one.name);
  if (found !== undefined && !isSameEntry(found, one.written)) {
    throw new DowserError('PRECONDITION_FAILED', `'${one.name}' of ${file} was changed since it was installed.`, {
      hint: 'Remove it by hand if you no longer need it.',
    });
  }
  // The same file as then becomes the file of before, byte by byte.
  const back = digestOf(text) === one.digest ? inverseOf(one.changes) : undefined;
  const isExact = back !== undefined && entryNamed({ ...config, text: changed(text, back) }, one.name) === undefined;
  const changes = found === undefined ? [] : isExact ? back : withoutEntry(config, one.name);
  const after = changed(text, changes);
  const isEmpty = one.created && /^\s*(?:\{\s*(?:"\w+"\s*:\s*\{\s*\}\s*)?\}\s*)?$/.test(after);
  const writes = run.options.yes === true && run.options.dryRun !== true;
  if (writes) {
    if (found !== undefined) await (isEmpty ? removeFile(file) : replaceFile(file, after));
    await writeInstallations(
      data_dir,
      known.filter((other) => other !== one),
    );
  }
  const state = writes ? 'removed' : 'would be removed';
  const answer = { path: one.path, client, file, name: one.name, state, entry: one.written, variables: [] };
  print(run, answer, () => reportText(run, answer, diffLines(text, changes), writes));
  return 0;
}

interface Report {
  readonly path: string;
  readonly client: ClientName;
  readonly file: string;
  readonly name: string;
  readonly state: string;
  readonly variables: readonly string[];
}

function reportText({ out }: CommandRun, report: Report, lines: readonly string[], wrote: boolean): string {
  const { style } = out;
  const { client, file, name, state, variables } = report;
  const shown = lines.map((line) => {
    const safe = eachOnOneLine(line);
    return line.startsWith('+') ? style.green(safe) : line.startsWith('-') ? style.red(safe) : style.dim(safe);
  });
  const { title } = CLIENT_FORMATS[client];
  const needs = variables.length === 0 ? [] : [`Set ${variables.join(', ')} where ${title} runs.`];
  const next = wrote ? `Restart ${title}.` : lines.length === 0 ? '' : 'Nothing was written. Add --yes to write it.';
  return `${[style.bold(file), ...shown, '', `${name}: ${state}`, ...needs, next].join('\n').trimEnd()}\n`;
}

export const command: CommandModule = { run };

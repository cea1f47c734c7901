import { ENTITY_TYPE_TABLE } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import type { KnownSource, Observed } from '../../registry/provenance/observation.ts';
import { sourceKeyOf } from '../../registry/provenance/source-note.ts';
import { openSource, type SourceRequest } from '../../sources/open-source.ts';
import { isSourceKind, SOURCE_KINDS, type Source, type SourceContext } from '../../sources/source.ts';
import { type Backend, openBackend } from '../backend.ts';
import {
  bulkSettingsFor,
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  exitCodeOf,
  printJson,
  type StopSignal,
  warn,
} from '../context.ts';
import { embedMissing, warnUnembedded } from '../model/missing-vectors.ts';
import { labelOf, problemOf, readSource, type SourceReport } from '../sources/read-source.ts';
import { sourceContext } from '../sources/source-context.ts';
import { trustSource } from '../sources/trusted-sources.ts';
import { driftLines } from '../terminal/drift-lines.ts';
import { formatCount, formatThings } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { oneLine } from '../terminal/text-width.ts';

/** `NAME=value` or, for a variable of this process, `NAME`. */
function readVariables(given: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ((given ?? []) as readonly string[]).map((text) => {
      const [, name, value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(text) ?? [];
      // The text may be a value whose name was forgotten, so that it is not repeated.
      if (name === undefined)
        throw new DowserError('INVALID_REQUEST', '--env must be NAME or NAME=value.', { field: 'env' });
      return [name, value ?? `\${${name}}`];
    }),
  );
}

/** `Name: value` */
function readHeaders(given: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ((given ?? []) as readonly string[]).map((text) => {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.+)$/s.exec(text) ?? [];
      if (name === undefined || value === undefined) {
        throw new DowserError('INVALID_REQUEST', "--header must be 'Name: value'.", { field: 'header' });
      }
      return [name, value];
    }),
  );
}

/** What is to be added, one request for each. `dowser add mcp -- npx ...` and `dowser add a2a <address>` name the kind first. */
export function toSourceRequests(args: readonly string[], options: CommandOptions): readonly SourceRequest[] {
  const command = options['--'] as readonly string[] | undefined;
  const words = command === undefined ? args : args.slice(0, args.length - command.length);
  const [first, ...others] = words;
  const namesKind = options.kind === undefined && isSourceKind(first) && (others.length > 0 || command !== undefined);
  const kind = namesKind ? first : options.kind;
  const things = namesKind ? others : words;
  if (kind !== undefined && !isSourceKind(kind)) {
    throw new DowserError(
      'INVALID_REQUEST',
      `--kind is ${showValue(kind)}: must be one of ${SOURCE_KINDS.join(', ')}.`,
      { field: 'kind' },
    );
  }
  if (command !== undefined && things.length > 0) {
    throw new DowserError('INVALID_REQUEST', `${showValue(things[0])} and a command cannot be added at once.`, {
      hint: 'Write `dowser add -- npx -y some-server`, or add the other apart.',
    });
  }
  const env = readVariables(options.env);
  const headers = readHeaders(options.header);
  const shared = {
    env,
    headers,
    ...(kind === undefined ? {} : { kind }),
    ...(typeof options.name === 'string' ? { name: options.name } : {}),
  };
  if (command !== undefined) return [{ ...shared, command }];
  if (things.length === 0) {
    throw new DowserError('INVALID_REQUEST', 'There is nothing to add.', {
      hint: 'Name a file, a folder or an address, or a command after --.',
    });
  }
  return things.map((what) => ({ ...shared, what }));
}

async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<number> {
  const requests = toSourceRequests(args, options);
  const { settings } = bulkSettingsFor(context, options);
  const sources = sourceContext(context, settings, options);
  const backend = await openBackend(settings);
  try {
    const known = await backend.sources();
    const reports: SourceReport[] = [];
    for (const request of requests) {
      const remember = (key: string) => trustSource(settings.data_dir, key);
      reports.push(
        await addOne(context, request, { sources, backend, known, options, remember, alone: requests.length === 1 }),
      );
    }
    const dryRun = options.dryRun === true;
    const wantsVectors = !dryRun && options.lexical !== true && settings.embeddings_provider !== 'off';
    const vectors = wantsVectors ? await embedMissing(backend, { signal: context.signal }) : null;
    if (options.json === true) printJson(context, { dry_run: dryRun, sources: reports, vectors });
    else {
      for (const report of reports) printReport(context, report, dryRun);
      if (vectors !== null) warnUnembedded(context, vectors);
    }
    const failed = reports.some(({ problems }) => problems.length > 0);
    const nothing = reports.every(({ results }) =>
      results.every(({ state }) => state === 'refused' || state === 'dead'),
    );
    return (failed && nothing) || (failed && options.strict === true) ? 1 : 0;
  } catch (thrown) {
    if (context.signal.aborted) return exitCodeOf(context.signal.reason as StopSignal);
    throw thrown;
  } finally {
    await backend.close();
  }
}

interface Adding {
  readonly sources: SourceContext;
  readonly backend: Backend;
  readonly known: readonly KnownSource[];
  readonly options: CommandOptions;
  readonly remember: (key: string) => Promise<void>;
  /** A single thing that cannot be opened is the failure of the command; among several it is one line of the report. */
  readonly alone: boolean;
}

async function addOne({ err, signal }: CommandContext, request: SourceRequest, adding: Adding): Promise<SourceReport> {
  const { backend, options } = adding;
  try {
    const source = await openSource(request, adding.sources, signal);
    const key = sourceKeyOf(source);
    const read = await readSource(source, {
      observe: (observation) => backend.observe(observation),
      known: adding.known.find((other) => sourceKeyOf(other) === key),
      takeOver: options.replace === true || isOfTheUser(source),
      dryRun: options.dryRun === true,
      signal,
      onItem: countOn(err),
    });
    const report = hasNothing(read) ? { ...read, warnings: [nothingIn(source)] } : read;
    if (options.dryRun !== true && report.state !== 'failed') await adding.remember(key);
    const [problem] = report.problems;
    if (adding.alone && report.state === 'failed' && report.problems.length === 1 && problem !== undefined) {
      throw new DowserError(problem.code, problem.message, problem.hint === undefined ? {} : { hint: problem.hint });
    }
    return report;
  } catch (thrown) {
    if (adding.alone || signal.aborted || !(thrown instanceof DowserError)) throw thrown;
    const title = request.what ?? '';
    return {
      kind: request.kind ?? '',
      title,
      state: 'failed',
      results: [],
      problems: [problemOf(thrown)],
      skipped: [],
      warnings: [],
    };
  }
}

/** Whether a source was read and there is not a word about it to say. */
const hasNothing = ({ results, problems, skipped, warnings }: SourceReport): boolean =>
  [results, problems, skipped, warnings].every(({ length }) => length === 0);

const nothingIn = ({ title }: Source) => ({ part: '', message: `There is nothing to add in ${title}.` });

/**
 * Whether what a source says is what the user wrote or runs: that may replace what came from elsewhere. Others choose the
 * names on the network and in lists, and with them what would be replaced.
 */
const isOfTheUser = ({ directory, locator }: Source): boolean => !directory && locator.url === undefined;

/** A terminal shows that something happens while a registry of thousands is read. */
function countOn(terminal: Terminal): () => void {
  let parts = 0;
  return () => {
    parts++;
    if (terminal.eraseLine === '' || parts % 100 !== 0) return;
    terminal.write(`${terminal.eraseLine}reading ${formatCount(parts)}\r`);
  };
}

/** More than this many lines of one source are only counted: a registry has thousands. */
const SHOWN_RESULTS = 20;

function contents({ entity_type, definitions }: Observed): string {
  const defined = entity_type === null ? null : ENTITY_TYPE_TABLE[entity_type].definitions;
  return defined !== null && 'word' in defined && definitions > 0 ? formatThings(definitions, defined.word) : '';
}

function printReport(context: CommandContext, report: SourceReport, dryRun = false): void {
  const { out, err } = context;
  const { style } = out;
  const shown = report.results.filter(({ state }) => state !== 'refused' && state !== 'dead');
  for (const result of shown.slice(0, SHOWN_RESULTS)) {
    const state = dryRun ? `would be ${result.state}` : result.state;
    const facts = [result.part, contents(result)].filter((text) => text !== '').map(oneLine);
    out.write(
      `${style.green(state)}  ${oneLine(labelOf(result))}${facts.map((text) => style.dim(`  ${text}`)).join('')}\n`,
    );
    if (result.drift === null) continue;
    out.write(`${style.yellow(`drift  ${oneLine(labelOf(result))} is not what it was`)}\n`);
    out.write(
      driftLines(result.drift, out)
        .map((line) => `${line}\n`)
        .join(''),
    );
  }
  if (shown.length > SHOWN_RESULTS) out.write(`and ${formatCount(shown.length - SHOWN_RESULTS)} more\n`);
  for (const { part, code, message, hint } of report.problems) {
    const where = part === '' ? oneLine(report.title) : oneLine(part);
    err.write(`${err.style.red(`error[${code}]`)}: ${where}: ${oneLine(message)}\n`);
    if (hint !== undefined) err.write(`hint: ${oneLine(hint)}\n`);
  }
  for (const { part, reason } of report.skipped) err.write(`skipped  ${oneLine(part)}: ${oneLine(reason)}\n`);
  for (const { part, message } of report.warnings.slice(0, SHOWN_RESULTS)) {
    warn(context, `${part === '' ? '' : `${oneLine(part)}: `}${oneLine(message)}`);
  }
}

export const command: CommandModule = { run, graceful: true };

import { ENTITY_TYPE_TABLE } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { KnownSource, Observed } from '../../registry/contract/observation.ts';
import { sourceKeyOf } from '../../registry/notes/source-note.ts';
import { openSource, type SourceRequest } from '../../sources/open/open-source.ts';
import { shownArgument } from '../../sources/secrets/secret-references.ts';
import type { Source, SourceContext } from '../../sources/source.ts';
import { trustSource } from '../../sources/trusted-sources.ts';
import { type Backend, withBackend } from '../context/backend.ts';
import { bulkSettingsFor, type CommandModule, type CommandRun, printJson, warn } from '../context/context.ts';
import { embedMissing, warnUnembedded } from '../model/missing-vectors.ts';
import { problemText } from '../sources/problem-text.ts';
import { failedReport, labelOf, readSource, type SourceReport } from '../sources/read-source.ts';
import { sourceContext } from '../sources/source-context.ts';
import { toSourceRequests } from '../sources/source-requests.ts';
import { driftText } from '../terminal/drift-text.ts';
import { formatCount, formatThings } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { oneLine } from '../terminal/text-width.ts';

async function run(run: CommandRun): Promise<number> {
  const { options } = run;
  const requests = toSourceRequests(run);
  const settings = bulkSettingsFor(run);
  const sources = sourceContext(run, settings);
  return withBackend(run, { settings }, async (backend) => {
    const known = await backend.sources();
    const adding = { sources, backend, known, dataDir: settings.data_dir, alone: requests.length === 1 };
    const reports: SourceReport[] = [];
    for (const request of requests) reports.push(await addOne(run, request, adding));
    const dryRun = options.dryRun === true;
    const vectors = dryRun ? null : await embedMissing(run, settings, backend);
    if (options.json === true) printJson(run, { dry_run: dryRun, sources: reports, vectors });
    else for (const report of reports) printReport(run, report, dryRun);
    warnUnembedded(run, vectors);
    const failed = reports.some(({ problems }) => problems.length > 0);
    const nothing = reports.every(({ results }) => results.every(({ state }) => isLost(state)));
    return failed && (nothing || options.strict === true) ? 1 : 0;
  });
}

const isLost = (state: Observed['state']): boolean => state === 'refused' || state === 'dead';

interface Adding {
  readonly sources: SourceContext;
  readonly backend: Backend;
  readonly known: readonly KnownSource[];
  readonly dataDir: string;
  /** If a single source cannot be opened, the command fails. One of several is a line of the report. */
  readonly alone: boolean;
}

async function addOne(
  { err, signal, options }: CommandRun,
  request: SourceRequest,
  { sources, backend, known, dataDir, alone }: Adding,
): Promise<SourceReport> {
  try {
    const source = await openSource(request, sources, signal);
    const key = sourceKeyOf(source);
    const read = await readSource(source, {
      observe: (observation) => backend.observe(observation),
      known: known.find((other) => sourceKeyOf(other) === key),
      takeOver: options.replace === true || isOfTheUser(source),
      dryRun: options.dryRun === true,
      signal,
      onItem: countOn(err),
    });
    const report = isSilent(read) ? { ...read, warnings: [nothingIn(source)] } : read;
    const isRefused = report.results.length > 0 && report.results.every(({ state }) => isLost(state));
    if (options.dryRun !== true && report.state !== 'failed' && !isRefused) await trustSource(dataDir, key);
    const [problem] = report.problems;
    if (alone && report.state === 'failed' && report.problems.length === 1 && problem !== undefined) {
      throw new DowserError(problem.code, problem.message, { hint: problem.hint });
    }
    return report;
  } catch (thrown) {
    if (alone || signal.aborted || !(thrown instanceof DowserError)) throw thrown;
    return failedReport(request.kind ?? '', shownArgument(request.what ?? ''), thrown);
  }
}

/** Whether a source was read without any result, problem or warning. */
const isSilent = ({ results, problems, skipped, warnings }: SourceReport): boolean =>
  [results, problems, skipped, warnings].every(({ length }) => length === 0);

const nothingIn = ({ title }: Source) => ({ part: '', message: `There is nothing to add in ${title}.` });

/**
 * Whether the user wrote or runs the source. Then it may replace entities of other sources. On the network and in lists,
 * others choose the names, and so what would be replaced.
 */
const isOfTheUser = ({ directory, locator }: Source): boolean => !directory && locator.url === undefined;

/** Shows on a terminal that a large registry is being read. */
function countOn(terminal: Terminal): () => void {
  let parts = 0;
  return () => {
    parts++;
    if (terminal.eraseLine === '' || parts % 100 !== 0) return;
    terminal.write(`${terminal.eraseLine}reading ${formatCount(parts)}\r`);
  };
}

/** Results of one source beyond this number are only counted: a registry has thousands. */
const SHOWN_RESULTS = 20;

function contents({ entity_type, definitions }: Observed): string {
  const defined = entity_type === null ? null : ENTITY_TYPE_TABLE[entity_type].definitions;
  return defined !== null && 'word' in defined && definitions > 0 ? formatThings(definitions, defined.word) : '';
}

function printReport(run: CommandRun, report: SourceReport, dryRun: boolean): void {
  const { out, err } = run;
  const { style } = out;
  const shown = report.results.filter(({ state }) => !isLost(state));
  for (const result of shown.slice(0, SHOWN_RESULTS)) {
    const state = dryRun ? `would be ${result.state}` : result.state;
    const label = oneLine(labelOf(result));
    const facts = [result.part, contents(result)].filter((text) => text !== '').map((text) => `  ${oneLine(text)}`);
    out.write(`${style.green(state)}  ${label}${facts.map(style.dim).join('')}\n`);
    if (result.drift === null) continue;
    out.write(`${style.yellow(`drift  ${label} has changed`)}\n${driftText(result.drift, out)}`);
  }
  if (shown.length > SHOWN_RESULTS) out.write(`and ${formatCount(shown.length - SHOWN_RESULTS)} more\n`);
  for (const problem of report.problems) err.write(problemText(problem, report.title, err));
  for (const { part, reason } of report.skipped) err.write(`skipped  ${oneLine(part)}: ${oneLine(reason)}\n`);
  for (const { part, message } of report.warnings.slice(0, SHOWN_RESULTS)) {
    warn(run, `${part === '' ? '' : `${oneLine(part)}: `}${oneLine(message)}`);
  }
}

export const command: CommandModule = { run, graceful: true };

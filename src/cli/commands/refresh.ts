import { DowserError } from '../../model/errors/errors.ts';
import type { KnownSource } from '../../registry/contract/observation.ts';
import { isExample, sourceKeyOf } from '../../registry/notes/source-note.ts';
import { inOrder } from '../../sources/fetch/in-order.ts';
import { reopenSource } from '../../sources/open/open-source.ts';
import type { SourceContext } from '../../sources/source.ts';
import { TrustedSources } from '../../sources/trusted-sources.ts';
import { type Backend, withBackend } from '../context/backend.ts';
import { bulkSettingsFor, type CommandModule, type CommandRun, printJson } from '../context/context.ts';
import { embedMissing } from '../model/missing-vectors.ts';
import { problemText } from '../sources/problem-text.ts';
import { failedReport, isNamedBy, labelOf, readSource, type SourceReport } from '../sources/read-source.ts';
import { changesSince } from '../sources/reading-plan.ts';
import { sourceContext } from '../sources/source-context.ts';
import { driftText } from '../terminal/drift-text.ts';
import { formatThings } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

/** How many sources are read at once. */
const AT_ONCE = 4;

type Report = Omit<SourceReport, 'state'> & { readonly state: SourceReport['state'] | 'skipped' };

function matches(wanted: string, { locator, entities }: KnownSource): boolean {
  const places = [locator.url, locator.file, locator.folder, locator.command];
  return places.includes(wanted) || entities.some((entity) => isNamedBy(wanted, entity));
}

/** Without the example catalog: reading it again would bring back deleted examples. */
const readAgain = (known: readonly KnownSource[]) => known.filter((source) => !isExample(source));

/** All sources, or those of the named paths, files and addresses. */
export function chosenSources(known: readonly KnownSource[], wanted: readonly string[]): readonly KnownSource[] {
  const unknown = wanted.find((text) => !known.some((source) => matches(text, source)));
  if (unknown !== undefined) {
    throw new DowserError('NOT_FOUND', `No added source matches '${unknown}'.`, {
      hint: 'Only sources added with `dowser add` can be read again. Run `dowser refresh` to read and list them all.',
    });
  }
  return wanted.length === 0 ? known : known.filter((source) => wanted.some((text) => matches(text, source)));
}

async function run(run: CommandRun): Promise<number> {
  const { args, options, signal } = run;
  const settings = bulkSettingsFor(run);
  const sources = sourceContext(run, settings);
  return withBackend(run, { settings, missing: 'warn' }, async (backend) => {
    const chosen = chosenSources(readAgain(await backend.sources()), args);
    const trusted = options.trust === true ? { has: () => true } : new TrustedSources(settings.data_dir);
    const reports: Report[] = [];
    const reading = inOrder(chosen, AT_ONCE, signal, async (known) =>
      trusted.has(sourceKeyOf(known)) ? refreshOne(run, backend, sources, known) : skipped(known, UNTRUSTED),
    );
    for await (const report of reading) {
      reports.push(report);
      if (options.json !== true) print(run, report);
    }
    const changed = reports.some(({ results }) =>
      results.some(({ state }) => state === 'added' || state === 'updated'),
    );
    const vectors = changed ? await embedMissing(run, settings, backend) : null;
    if (options.json === true) printJson(run, { sources: reports, vectors });
    else if (reports.length === 0) run.out.write('There is no added source to read again.\n');
    // Nothing was read at all, for example because sources.txt was not restored with the backup.
    if (reports.length > 0 && reports.every(({ state }) => state === 'skipped')) return 1;
    if (options.strict !== true) return 0;
    const bad = reports.some(({ state }) => ['dead', 'failed', 'drift', 'skipped'].includes(state));
    // Drift that was reported earlier and not accepted counts too.
    return bad || (await backend.drift()).length > 0 ? 1 : 0;
  });
}

async function refreshOne(
  { signal }: CommandRun,
  backend: Backend,
  context: SourceContext,
  known: KnownSource,
): Promise<Report> {
  const since = changesSince(known, new Date());
  try {
    const source = reopenSource(known.kind, known.locator, context, since);
    return await readSource(source, {
      observe: (observation) => backend.observe(observation),
      known,
      incremental: since !== undefined,
      takeOver: false,
      dryRun: false,
      signal,
    });
  } catch (thrown) {
    // For example a variable that is not set here. The source may be fine.
    if (signal.aborted || !(thrown instanceof DowserError)) throw thrown;
    return skipped(known, thrown);
  }
}

function skipped({ kind, locator }: KnownSource, error: DowserError): Report {
  const title = String(locator.url ?? locator.file ?? locator.folder ?? locator.command ?? '');
  return { ...failedReport(kind, title, error), state: 'skipped' };
}

const UNTRUSTED = new DowserError('FORBIDDEN', 'This source was not added with this data folder, so it is not read.', {
  hint: 'Add it again. Or read every source with --trust, if you trust everyone who can write to this registry.',
});

function print({ out, err }: CommandRun, { state, kind, title, results, problems }: Report): void {
  const { style } = out;
  const paint = state === 'unchanged' || state === 'updated' || state === 'added' ? style.green : style.yellow;
  const count = style.dim(`  ${formatThings(results.length, 'result')}`);
  out.write(`${paint(state.padEnd(9))}  ${kind}  ${oneLine(title)}${count}\n`);
  const dead = results.filter((result) => result.state === 'dead');
  for (const result of results) {
    if (result.state === 'unchanged' && result.drift === null) continue;
    const why = dead.includes(result) ? `: ${oneLine(result.notes.join(' '))}` : '';
    out.write(`  ${result.drift === null ? result.state : 'drift'}  ${oneLine(labelOf(result))}${why}\n`);
    if (result.drift !== null) out.write(driftText(result.drift, out, '    '));
  }
  const told = new Set(dead.flatMap(({ notes }) => notes));
  for (const problem of problems) if (!told.has(problem.message)) err.write(problemText(problem, title, err));
}

export const command: CommandModule = { run, graceful: true };

import { DowserError } from '../../model/errors.ts';
import type { KnownSource } from '../../registry/provenance/observation.ts';
import { isExample, sourceKeyOf } from '../../registry/provenance/source-note.ts';
import { inOrder } from '../../sources/in-order.ts';
import { reopenSource } from '../../sources/open-source.ts';
import type { SourceContext } from '../../sources/source.ts';
import { type Backend, openBackend } from '../backend.ts';
import {
  bulkSettingsFor,
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  exitCodeOf,
  printJson,
  type StopSignal,
  warnMissing,
} from '../context.ts';
import { embedMissing } from '../model/missing-vectors.ts';
import { labelOf, problemOf, readSource, type SourceReport } from '../sources/read-source.ts';
import { changesSince } from '../sources/reading-plan.ts';
import { sourceContext } from '../sources/source-context.ts';
import { trustedSources } from '../sources/trusted-sources.ts';
import { driftLines } from '../terminal/drift-lines.ts';
import { formatThings } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

/** How many sources are read at once. */
const AT_ONCE = 4;

type Report = Omit<SourceReport, 'state'> & { readonly state: SourceReport['state'] | 'skipped' };

function matches(wanted: string, { locator, entities }: KnownSource): boolean {
  const places = [locator.url, locator.file, locator.folder, locator.command];
  if (places.includes(wanted)) return true;
  return entities.some(({ entity_type, path }) =>
    [path, path.replace(/^\//, ''), `${entity_type}:${path}`].includes(wanted),
  );
}

/** The example catalog came with the program: reading it again would bring back what somebody removed. */
const readAgain = (known: readonly KnownSource[]) => known.filter((source) => !isExample(source));

/** The sources that are meant: all, or those of the named paths and places. */
export function chosenSources(known: readonly KnownSource[], wanted: readonly string[]): readonly KnownSource[] {
  const unknown = wanted.find((text) => !known.some((source) => matches(text, source)));
  if (unknown !== undefined) {
    throw new DowserError('NOT_FOUND', `No source was added that is or has '${unknown}'.`, {
      hint: 'Only what came by `dowser add` can be read again; `dowser refresh` alone reads and lists all of it.',
    });
  }
  return wanted.length === 0 ? known : known.filter((source) => wanted.some((text) => matches(text, source)));
}

async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<number> {
  const { settings } = bulkSettingsFor(context, options);
  const sources = sourceContext(context, settings, options);
  const backend = await openBackend(settings, { onMissing: warnMissing(context, options) });
  try {
    const chosen = chosenSources(readAgain(await backend.sources()), args);
    const trusted = options.trust === true ? { has: () => true } : await trustedSources(settings.data_dir);
    const reports: Report[] = [];
    const reading = inOrder(chosen, AT_ONCE, context.signal, (known) =>
      trusted.has(sourceKeyOf(known))
        ? refreshOne(context, backend, sources, known)
        : Promise.resolve(untrusted(known)),
    );
    for await (const report of reading) {
      reports.push(report);
      if (options.json !== true) print(context, report);
    }
    const wantsVectors = options.lexical !== true && settings.embeddings_provider !== 'off';
    const changed = reports.some(({ results }) =>
      results.some(({ state }) => state === 'added' || state === 'updated'),
    );
    const vectors = wantsVectors && changed ? await embedMissing(backend, { signal: context.signal }) : null;
    if (options.json === true) printJson(context, { sources: reports, vectors });
    else if (reports.length === 0) context.out.write('Nothing was added yet that could be read again.\n');
    if (options.strict !== true) return 0;
    const bad = reports.some(({ state }) => ['dead', 'failed', 'drift', 'skipped'].includes(state));
    // What was reported once and never accepted is still no good.
    return bad || (await backend.drift()).length > 0 ? 1 : 0;
  } catch (thrown) {
    if (context.signal.aborted) return exitCodeOf(context.signal.reason as StopSignal);
    throw thrown;
  } finally {
    await backend.close();
  }
}

async function refreshOne(
  { signal }: CommandContext,
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
    // A variable that is not set here, say: that is no fault of the things themselves.
    if (signal.aborted || !(thrown instanceof DowserError)) throw thrown;
    return unread(known, thrown);
  }
}

function unread(known: KnownSource, error: DowserError): Report {
  const title = String(known.locator.url ?? known.locator.file ?? known.locator.folder ?? known.locator.command ?? '');
  const problems = [problemOf(error)];
  return { kind: known.kind, title, state: 'skipped', results: [], problems, skipped: [], warnings: [] };
}

const untrusted = (known: KnownSource): Report =>
  unread(
    known,
    new DowserError('FORBIDDEN', 'It was not added with this data folder, so it is not read from here.', {
      hint: 'Add it again, or read everything with --trust if you trust whoever writes to this registry.',
    }),
  );

function print({ out, err }: CommandContext, { state, kind, title, results, problems }: Report): void {
  const { style } = out;
  const paint = state === 'unchanged' || state === 'updated' || state === 'added' ? style.green : style.yellow;
  out.write(
    `${paint(state.padEnd(9))}  ${kind}  ${oneLine(title)}${style.dim(`  ${formatThings(results.length, 'result')}`)}\n`,
  );
  for (const result of results) {
    if (result.state === 'unchanged' && result.drift === null) continue;
    const why = result.state === 'dead' ? `: ${oneLine(result.notes.join(' '))}` : '';
    out.write(`  ${result.drift === null ? result.state : 'drift'}  ${oneLine(labelOf(result))}${why}\n`);
    if (result.drift !== null)
      out.write(
        driftLines(result.drift, out)
          .map((line) => `  ${line}\n`)
          .join(''),
      );
  }
  const told = new Set(results.filter((result) => result.state === 'dead').flatMap(({ notes }) => notes));
  for (const { part, code, message, hint } of problems) {
    if (told.has(message)) continue;
    err.write(`${err.style.red(`error[${code}]`)}: ${oneLine(part === '' ? title : part)}: ${oneLine(message)}\n`);
    if (hint !== undefined) err.write(`hint: ${oneLine(hint)}\n`);
  }
}

export const command: CommandModule = { run, graceful: true };

import { ImportedCollections } from '../../documents/imported-collections.ts';
import { type Backend, withBackend } from '../context/backend.ts';
import {
  bulkSettingsFor,
  type CommandModule,
  type CommandRun,
  exitCodeOf,
  printJson,
  warn,
} from '../context/context.ts';
import { examplesAmong } from '../context/examples.ts';
import { embedMissing, type Vectors, warnUnembedded } from '../model/missing-vectors.ts';
import {
  FIRST_REASONS,
  type ImportSummary,
  importFiles,
  type LineNote,
  type Rejection,
} from '../sources/import-files.ts';
import { labelOf } from '../sources/read-source.ts';
import { withStandardInput } from '../sources/standard-input.ts';
import { formatCount, formatSeconds, formatThings, withProgress } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

type Examples = ReturnType<typeof examplesAmong>;

async function run(run: CommandRun): Promise<number> {
  const { args: files, options, signal } = run;
  const settings = bulkSettingsFor(run);
  const started = performance.now();
  const paths = await withStandardInput(run, files);
  return withBackend(run, { settings }, async (backend) => {
    const examples = examplesAmong(await backend.sources());
    const summary = await load(run, backend, paths);
    const vectors = await embedMissing(run, settings, backend);
    const replaced = await goneFrom(examples, backend);
    const seconds = (performance.now() - started) / 1000;
    if (options.json === true)
      printJson(run, { ...summary, replaced_examples: replaced.map(labelOf), vectors, seconds });
    else {
      report(run, summary, vectors, seconds);
      reportReplaced(run, replaced);
      // Standard input has no name for another command.
      const named = paths.filter((path) => files.includes(path));
      const hint = await hintFor(summary, named, settings.source_max_bytes);
      if (hint !== undefined) run.err.write(`hint: ${hint}\n`);
    }
    if (signal.aborted) return exitCodeOf(signal.reason);
    const nothing = nothingTaken(summary) && summary.rejected > 0;
    const flawed = summary.rejected > 0 || (vectors !== null && vectors.remaining !== 0);
    return nothing || (options.strict === true && flawed) ? 1 : 0;
  });
}

/** The examples that imported entities replaced. */
async function goneFrom(examples: Examples, backend: Backend): Promise<Examples> {
  if (examples.length === 0) return examples;
  const left = new Set(examplesAmong(await backend.sources()).map(labelOf));
  return examples.filter((example) => !left.has(labelOf(example)));
}

function reportReplaced({ out }: CommandRun, replaced: Examples): void {
  for (const { path } of replaced.slice(0, FIRST_REASONS))
    out.write(`Replaced the existing ${oneLine(path)} (from the example catalog).\n`);
  if (replaced.length > FIRST_REASONS)
    out.write(`Replaced ${formatCount(replaced.length - FIRST_REASONS)} more examples.\n`);
}

const ONE_PER_LINE = 'Each line must be one entity as JSON. See `dowser import --help`.';

/** How to write a document that is spread over lines, or a list, as lines of JSON. */
function toLines(text: string): string {
  try {
    const filter = Array.isArray(JSON.parse(text)) ? "'.[]'" : '.';
    return ` The file is one JSON document: convert it with \`jq -c ${filter} FILE\`.`;
  } catch {
    return '';
  }
}

const nothingTaken = ({ added, updated }: ImportSummary): boolean => added + updated === 0;

/** What to do with files without a valid line. */
async function hintFor(
  summary: ImportSummary,
  files: readonly string[],
  maxBytes: number,
): Promise<string | undefined> {
  if (!nothingTaken(summary) || summary.rejected === 0) return undefined;
  const { readTextFile } = await import('../../sources/fetch/read-document.ts');
  const { recognizeText } = await import('../../sources/open/recognize.ts');
  let conversion = '';
  for (const file of files) {
    const text = await readTextFile(file, maxBytes).catch(() => '');
    const kind = recognizeText(text);
    conversion ||= toLines(text);
    if (kind === undefined || kind === 'registry') continue;
    const name = oneLine(file);
    return `${name} is of the kind '${kind}', not a list of entities. Add it with \`dowser add ${name}\`.`;
  }
  // Lines that are no entities at all: a document that is spread over lines, or a list.
  const { MALFORMED_JSON, INVALID_FILE } = summary.by_reason;
  return MALFORMED_JSON === undefined && INVALID_FILE === undefined ? undefined : ONE_PER_LINE + conversion;
}

async function load({ err, signal }: CommandRun, backend: Backend, files: readonly string[]): Promise<ImportSummary> {
  const collections = new ImportedCollections();
  const summary = await withProgress({ terminal: err, label: 'importing', unit: 'lines' }, (progress) =>
    importFiles(files, {
      async putMany(entities) {
        const result = await backend.putMany(entities, { lifecycle: 'keep', vectors: 'later' });
        for (const { entity } of entities) if (entity.type === 'document') collections.add(entity);
        return result;
      },
      onProgress: ({ bytes, totalBytes, lines }) => progress.update(bytes, totalBytes, lines),
      signal,
    }),
  );
  if (!collections.isEmpty) await collections.restore(await backend.documents());
  return summary;
}

function report(run: CommandRun, summary: ImportSummary, vectors: Vectors | null, seconds: number): void {
  const { out } = run;
  const counts = `${formatCount(summary.added)} added, ${formatCount(summary.updated)} updated`;
  out.write(`${out.style.green(counts)}, ${formatCount(summary.rejected)} rejected in ${formatSeconds(seconds)}\n`);
  if (summary.duplicates > 0) {
    out.write(`${formatThings(summary.duplicates, 'line')} repeated an entity: the last line won.\n`);
  }
  if (vectors !== null) out.write(`${formatThings(vectors.embedded, 'vector')} computed\n`);
  if (summary.rejected > 0) {
    const reasons = Object.entries(summary.by_reason).map(([code, count]) => `${formatCount(count)} ${code}`);
    warn(run, `${formatThings(summary.rejected, 'line')} rejected (${reasons.join(', ')})`);
    listLines(run, summary.rejected, summary.first_rejections);
  }
  if (nothingTaken(summary) && summary.rejected === 0 && !run.signal.aborted) {
    warn(run, 'There is nothing to import: every line is blank.');
  }
  if (summary.warnings > 0) {
    warn(run, `${formatThings(summary.warnings, 'field')} ignored`);
    listLines(run, summary.warnings, summary.first_warnings);
  }
  if (!run.signal.aborted) warnUnembedded(run, vectors);
  else warn(run, 'Interrupted. The entities so far are stored. Run the command again for the rest and the vectors.');
}

function listLines(
  { err }: CommandRun,
  all: number,
  first: readonly (LineNote & Partial<Pick<Rejection, 'code' | 'column'>>)[],
): void {
  for (const { file, line, column, code, message } of first) {
    const place = column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
    err.write(`  ${place}  ${code === undefined ? '' : `${code}  `}${oneLine(message)}\n`);
  }
  if (all > first.length) err.write(`  and ${formatCount(all - first.length)} more\n`);
}

export const command: CommandModule = { run, graceful: true };

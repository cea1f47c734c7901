import { type Backend, openBackend } from '../backend.ts';
import {
  bulkSettingsFor,
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  exitCodeOf,
  printJson,
  warn,
} from '../context.ts';
import { embedShown, type Vectors, warnUnembedded } from '../model/missing-vectors.ts';
import { examplesAmong } from '../sources/examples.ts';
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

async function run(context: CommandContext, files: readonly string[], options: CommandOptions): Promise<number> {
  const { settings } = bulkSettingsFor(context, options);
  const started = performance.now();
  const paths = await withStandardInput(files);
  const backend = await openBackend(settings);
  try {
    const examples = examplesAmong(await backend.sources());
    const summary = await load(context, backend, paths);
    const wantsVectors = options.lexical !== true && settings.embeddings_provider !== 'off';
    const vectors = wantsVectors && !context.signal.aborted ? await embedShown(context, backend) : null;
    const replaced = await goneFrom(examples, backend);
    const seconds = (performance.now() - started) / 1000;
    if (options.json === true) {
      const {
        byReason: by_reason,
        firstRejections: first_rejections,
        firstWarnings: first_warnings,
        ...counts
      } = summary;
      const replaced_examples = replaced.map(labelOf);
      printJson(context, {
        ...counts,
        replaced_examples,
        by_reason,
        first_rejections,
        first_warnings,
        vectors,
        seconds,
      });
    } else {
      report(context, summary, vectors, seconds);
      reportReplaced(context, replaced);
      // What came by standard input has no name to give to another command.
      const named = paths.filter((path) => files.includes(path));
      const hint = await hintFor(summary, named, settings.source_max_bytes);
      if (hint !== undefined) context.err.write(`hint: ${hint}\n`);
    }
    if (context.signal.aborted) return exitCodeOf(context.signal.reason);
    const nothing = nothingTaken(summary) && summary.rejected > 0;
    const flawed = summary.rejected > 0 || (vectors !== null && vectors.remaining !== 0);
    return nothing || (options.strict === true && flawed) ? 1 : 0;
  } finally {
    await backend.close();
  }
}

/** Those of the examples that gave way to imported entities. */
async function goneFrom(examples: Examples, backend: Backend): Promise<Examples> {
  if (examples.length === 0) return examples;
  const left = new Set(examplesAmong(await backend.sources()).map(labelOf));
  return examples.filter((example) => !left.has(labelOf(example)));
}

function reportReplaced({ out }: CommandContext, replaced: Examples): void {
  for (const { path } of replaced.slice(0, FIRST_REASONS))
    out.write(`Replaced the existing ${oneLine(path)} (from the example catalog).\n`);
  if (replaced.length > FIRST_REASONS)
    out.write(`Replaced ${formatCount(replaced.length - FIRST_REASONS)} more examples.\n`);
}

const ONE_A_LINE =
  'Each line must be an entity of its own, as JSON; `dowser import --help` shows one. A list in one document becomes lines with `jq -c .[]`.';

/** Whether lines are no entities at all, as those of a document that is spread over lines, or a list in one. */
const hasOtherLines = ({ byReason }: ImportSummary): boolean =>
  byReason.MALFORMED_JSON !== undefined || byReason.INVALID_FILE !== undefined;

const nothingTaken = ({ added, updated }: ImportSummary): boolean => added + updated === 0;

/** What to do with files of which no line was taken. */
async function hintFor(
  summary: ImportSummary,
  files: readonly string[],
  maxBytes: number,
): Promise<string | undefined> {
  if (!nothingTaken(summary) || summary.rejected === 0) return undefined;
  const { readTextFile } = await import('../../sources/read-document.ts');
  const { recognizeText } = await import('../../sources/recognize.ts');
  for (const file of files) {
    const kind = recognizeText(await readTextFile(file, maxBytes).catch(() => ''));
    if (kind === undefined || kind === 'registry') continue;
    const name = oneLine(file);
    return `${name} is a document of the kind '${kind}', not a list of entities: \`dowser add ${name}\` reads it.`;
  }
  return hasOtherLines(summary) ? ONE_A_LINE : undefined;
}

function load({ err, signal }: CommandContext, backend: Backend, files: readonly string[]): Promise<ImportSummary> {
  return withProgress({ terminal: err, label: 'importing', unit: 'lines' }, (progress) =>
    importFiles(files, {
      putMany: (entities) => backend.putMany(entities, { lifecycle: 'keep', vectors: 'later' }),
      onProgress: ({ bytes, totalBytes, lines }) => progress.update(bytes, totalBytes, lines),
      signal,
    }),
  );
}

function report(context: CommandContext, summary: ImportSummary, vectors: Vectors | null, seconds: number): void {
  const { out } = context;
  const counts = `${formatCount(summary.added)} added, ${formatCount(summary.updated)} updated`;
  out.write(`${out.style.green(counts)}, ${formatCount(summary.rejected)} rejected in ${formatSeconds(seconds)}\n`);
  if (summary.duplicates > 0) {
    out.write(`${formatThings(summary.duplicates, 'line')} named an entity again: the later line won\n`);
  }
  if (vectors !== null) out.write(`${formatThings(vectors.embedded, 'vector')} computed\n`);
  if (summary.rejected > 0) {
    const reasons = Object.entries(summary.byReason).map(([code, count]) => `${formatCount(count)} ${code}`);
    warn(context, `${formatThings(summary.rejected, 'line')} rejected (${reasons.join(', ')})`);
    listLines(context, summary.rejected, summary.firstRejections);
  }
  if (nothingTaken(summary) && summary.rejected === 0 && !context.signal.aborted) {
    warn(context, 'There was nothing to import: no line has anything on it.');
  }
  if (summary.warnings > 0) {
    warn(context, `${formatThings(summary.warnings, 'field')} ignored`);
    listLines(context, summary.warnings, summary.firstWarnings);
  }
  if (context.signal.aborted) {
    warn(
      context,
      'Interrupted. What was read is stored; run it again to go on, or start a server for the missing vectors.',
    );
  } else if (vectors !== null) warnUnembedded(context, vectors);
}

function listLines(
  { err }: CommandContext,
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

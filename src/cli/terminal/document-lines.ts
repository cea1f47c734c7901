import type { AskAnswer } from '../../documents/ask/ask.ts';
import type { Collection, DocumentText, FoundChunk } from '../../documents/contract/document-answers.ts';
import type { ScanReport } from '../../documents/scan/scan-folder.ts';
import { percent } from './percent.ts';
import { formatCount, formatThings } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { cut, oneLine, wrap } from './text-width.ts';
import { visibleText } from './visible-text.ts';

/** `line 40`, or `lines 40-52`. */
const rangeOf = (name: string, from: number, to: number | null): string =>
  to === null || from === to ? `${name} ${from}` : `${name}s ${from}-${to}`;

/** `handbook/guide.md, page 3, lines 40-52` */
function placeOf({ collections, path, position }: FoundChunk): string {
  const { page, from_line, to_line } = position;
  const lines = rangeOf('line', from_line, to_line);
  return [`${collections[0]}/${path}`, ...(page === null ? [] : [`page ${page}`]), lines].join(', ');
}

const MAX_TEXT_LINES = 6;

/** The lines of a text that a terminal shows, cut to a few. */
function shownText(text: string, columns: number): readonly string[] {
  const lines = text.split('\n').flatMap((line) => wrap(visibleText(line), columns - 2));
  const first = lines.slice(0, MAX_TEXT_LINES);
  return [...first, ...(lines.length > first.length ? ['...'] : [])].map((line) => `  ${line}`);
}

/** Where each hit is, the headings above it, its notes, and its text. */
export function chunkLines(chunks: readonly FoundChunk[], { columns, style }: Terminal): readonly string[] {
  return chunks.flatMap((chunk) => {
    const headings = chunk.heading_path.join(' > ');
    const about = [...chunk.notes, headings].filter((line) => line !== '');
    return [
      style.cyan(cut(oneLine(`${placeOf(chunk)}, confidence ${percent(chunk.confidence)}`), columns)),
      ...about.map((line) => style.dim(`  ${cut(oneLine(line), columns - 2)}`)),
      ...shownText(chunk.text, columns),
      ...(chunk.nearby ?? []).flatMap(({ role, text }) => [
        style.dim(`  [${role}]`),
        ...shownText(text, columns - 2).map((line) => style.dim(line)),
      ]),
      '',
    ];
  });
}

/** The answer, then the sources with the numbers that it cites. */
export function answerLines(
  { answer, sources }: Pick<AskAnswer<FoundChunk>, 'answer' | 'sources'>,
  { columns, style }: Terminal,
): readonly string[] {
  const lines = answer === '' ? [] : answer.split('\n').flatMap((line) => wrap(visibleText(line), columns));
  const cited = sources.map((source) => style.dim(cut(`[${source.number}] ${oneLine(placeOf(source))}`, columns)));
  return [...lines, ...(lines.length === 0 || cited.length === 0 ? [] : ['']), ...cited];
}

export function collectionLines(collections: readonly Collection[], { columns, style }: Terminal): readonly string[] {
  if (collections.length === 0) return ['No collections. Add a folder with `dowser docs add FOLDER`.'];
  return collections.flatMap(({ name, folder, files, chunks, unread, notes }) => [
    `${style.cyan(oneLine(name))}  ${formatThings(files, 'file')}, ${formatThings(chunks, 'chunk')}${
      unread === 0 ? '' : `, ${formatCount(unread)} not read`
    }`,
    style.dim(`  ${cut(oneLine(folder ?? 'files that were sent'), columns - 2)}`),
    ...notes.map(({ folder: place, note }) =>
      style.dim(`  ${cut(oneLine(place === '' ? note : `${place}: ${note}`), columns - 2)}`),
    ),
  ]);
}

const MAX_NAMED = 5;
/** Files that are never read: a folder may have thousands, such as pictures. */
const SKIPPED: readonly string[] = ['binary', 'unsupported'];

/** How many files, then the first of them by path, each with its reason. */
function fileLines(files: ScanReport['warned'], what: string, columns: number): readonly string[] {
  if (files.length === 0) return [];
  const named = [...files]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, MAX_NAMED)
    .map(({ path, message }) => `  ${oneLine(path)}: ${oneLine(message)}`);
  const more = files.length - named.length;
  return [
    `${formatThings(files.length, 'file')} ${what}:`,
    ...named.map((line) => cut(line, columns)),
    ...(more === 0 ? [] : [`  and ${formatCount(more)} more`]),
  ];
}

export function scanLines(reports: readonly ScanReport[], { columns, style }: Terminal): readonly string[] {
  if (reports.length === 0) return ['No collection has a folder.'];
  return reports.flatMap(({ collection, stored, unchanged, removed, unread, warned, problems }) => {
    const counts = `${formatCount(stored)} read, ${formatCount(unchanged)} unchanged, ${formatCount(removed)} removed`;
    const isSkipped = ({ code }: { readonly code: string }) => SKIPPED.includes(code);
    const skipped = unread.filter(isSkipped);
    const failed = unread.filter((file) => !isSkipped(file));
    return [
      `${style.green(oneLine(collection))}: ${counts}`,
      ...fileLines(skipped, 'skipped', columns),
      ...fileLines(failed, 'not read', columns),
      ...fileLines(warned, 'read with a warning', columns),
      ...problems.map((problem) => cut(oneLine(problem), columns)),
    ];
  });
}

/** Where the text is from, and the text as it is. */
export function textLines(document: DocumentText, { columns, style }: Terminal): readonly string[] {
  const { collections, path, from_line, to_line, lines, page, to_page, pages, text, truncated, notes } = document;
  const pageWords = page === null ? '' : `, ${rangeOf('page', page, to_page)} of ${pages}`;
  const place = `${collections[0] ?? ''}/${path}, ${rangeOf('line', from_line, to_line)} of ${lines}${pageWords}`;
  return [
    style.dim(cut(oneLine(place), columns)),
    ...notes.map((note) => style.dim(cut(oneLine(note), columns))),
    ...text.split('\n').map(visibleText),
    ...(truncated ? [style.dim('... (cut: ask for fewer lines)')] : []),
  ];
}

import type { Settings } from '../../config.ts';
import { isNotFoundError } from '../../documents/collections/collection-record.ts';
import type { Collection } from '../../documents/contract/document-answers.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import type { ScanReport } from '../../documents/scan/scan-folder.ts';
import { LOW_CONFIDENCE } from '../../model/answer/low-confidence.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { Backend } from '../context/backend.ts';
import { chosenAction } from '../context/chosen-action.ts';
import type { CommandOptions, CommandRun } from '../context/context.ts';
import type { ActionAnswer } from '../memory/actions.ts';
import { answerLines, chunkLines, collectionLines, scanLines, textLines } from '../terminal/document-lines.ts';
import { percent } from '../terminal/percent.ts';
import { formatThings } from '../terminal/progress.ts';
import { answerFromDocuments } from './ask-documents.ts';
import { chunkingOf, rangeOf, searchOf } from './collection-options.ts';
import { exportCollection } from './export-collection.ts';
import { addFolder, scanCollection } from './scan-collection.ts';
import { watchCollections } from './watch-collections.ts';

/** How many passages stand in for an answer where no chat model is set up. */
const BEST = 3;

export interface Action {
  readonly reads?: true;
  /** Whether it asks the model, and so wants it loaded while the data folder opens. */
  readonly asks?: true;
  /** Whether it stores texts that need vectors. */
  readonly embeds?: true;
  /** Works until Ctrl-C, which is no interruption then. */
  readonly isEndless?: true;
  run(
    run: CommandRun,
    documents: Documents,
    words: readonly string[],
    backend: Backend,
    settings: Settings,
  ): Promise<ActionAnswer>;
}

function need(words: readonly string[], what: string): string {
  const [first] = words;
  if (first !== undefined && first.trim() !== '') return first;
  throw new DowserError('INVALID_REQUEST', `${what} is missing.`, { field: 'words', hint: 'See `dowser help docs`.' });
}

/** The options of a collection that `scan` changes. */
function changesIn(options: CommandOptions) {
  const { include, exclude } = options;
  const chunking = chunkingOf(options);
  return {
    ...(include === undefined ? {} : { include: [...(include as readonly string[])] }),
    ...(exclude === undefined ? {} : { exclude: [...(exclude as readonly string[])] }),
    ...(chunking === undefined ? {} : { chunking }),
  };
}

/** The named collections, or all that have a folder. Each is read once: its files are counted over all notes on files. */
async function toScan(documents: Documents, names: readonly string[]): Promise<readonly Collection[]> {
  if (names.length === 0) return (await documents.collections()).collections.filter(({ folder }) => folder !== null);
  const found: Collection[] = [];
  for (const name of names) found.push(await documents.collection(name));
  return found;
}

const emptyFolders = (reports: readonly ScanReport[]): readonly string[] =>
  reports
    .filter(({ seen }) => seen === 0)
    .map(({ collection }) => `No file found for '${collection}': its folder is empty, or every file is excluded.`);

/** `handbook/guides` is the folder `guides` of the collection `handbook`. */
function splitPlace(place: string): { readonly name: string; readonly folder: string } {
  const cut = place.indexOf('/');
  return cut < 0 ? { name: place, folder: '' } : { name: place.slice(0, cut), folder: place.slice(cut + 1) };
}

export const ACTIONS: Readonly<Record<string, Action>> = {
  add: {
    embeds: true,
    async run(run, documents, words, backend) {
      const collection = await addFolder(run, documents, need(words, 'The folder to add'));
      const report = await scanCollection(run, documents, collection, backend);
      return { json: report, warnings: emptyFolders([report]), lines: (out) => scanLines([report], out) };
    },
  },
  scan: {
    embeds: true,
    async run(run, documents, words, backend) {
      const changes = changesIn(run.options);
      const isChanged = Object.keys(changes).length > 0;
      const reports: ScanReport[] = [];
      const gone: DowserError[] = [];
      for (const found of await toScan(documents, words)) {
        const collection = isChanged ? await documents.changeCollection(found.name, changes) : found;
        try {
          reports.push(await scanCollection(run, documents, collection, backend));
        } catch (thrown) {
          // A folder that is gone, such as that of a disk, stops no other collection.
          if (!isNotFoundError(thrown)) throw thrown;
          gone.push(thrown as DowserError);
        }
      }
      if (reports.length === 0 && gone.length > 0) throw gone[0]!;
      const missing = gone.map(({ message, hint }) => `${message} ${hint}`);
      return {
        json: { scans: reports, missing },
        warnings: [...missing, ...emptyFolders(reports)],
        lines: (out) => scanLines(reports, out),
      };
    },
  },
  watch: {
    embeds: true,
    isEndless: true,
    run: watchCollections,
  },
  list: {
    reads: true,
    async run(_run, documents, words) {
      if (words.length === 0) {
        const found = await documents.collections();
        return { json: found, lines: (out) => collectionLines(found.collections, out) };
      }
      const found = await documents.sources(need(words, 'The name of the collection'));
      return { json: found, lines: () => found.sources.map(({ uri, message }) => [uri, message].join('  ').trim()) };
    },
  },
  search: {
    reads: true,
    asks: true,
    async run({ options }, documents, words) {
      if (options.search === undefined) need([words.join(' ')], 'The query');
      const found = await documents.search(searchOf(words, options));
      const shown = found.no_match ? found.nearest : found.results;
      const [best] = found.results;
      const low = best !== undefined && best.confidence < LOW_CONFIDENCE;
      const opening = found.no_match
        ? [shown.length === 0 ? 'Nothing matches.' : 'Nothing matches. The nearest:']
        : low
          ? [`Low confidence: the best match is ${percent(best.confidence)}.`]
          : [];
      return { json: found, warnings: found.warnings, lines: (out) => [...opening, ...chunkLines(shown, out)] };
    },
  },
  ask: {
    reads: true,
    asks: true,
    async run(run, documents, words) {
      const answer = await answerFromDocuments(run, documents, need([words.join(' ')], 'The question'));
      const isAnswered = answer.model !== null || answer.sources.length === 0;
      return {
        json: answer,
        warnings: answer.warnings,
        // Without a model, the answer says so in place of one.
        lines: (out) =>
          isAnswered
            ? answerLines(answer, out)
            : [...answerLines({ ...answer, sources: [] }, out), '', ...chunkLines(answer.sources.slice(0, BEST), out)],
      };
    },
  },
  show: {
    reads: true,
    async run({ options }, documents, words) {
      const document = await documents.read(need(words, 'The document, as collection/path,'), rangeOf(options));
      return { json: document, lines: (out) => textLines(document, out) };
    },
  },
  export: {
    reads: true,
    async run(run, documents, words, registry, settings) {
      const [name, folder] = [need(words, 'The name of the collection'), need(words.slice(1), 'The folder to write')];
      const done = await exportCollection(run, { documents, registry }, name, folder, settings);
      const said = `Exported ${done.collection} (${done.files} files, ${done.chunks} chunks) to ${done.folder}.`;
      return {
        json: done,
        lines: () => [`${said}${withoutVectors(done.missing_vectors)}`, `Start it with \`npm start\` in that folder.`],
      };
    },
  },
  note: {
    async run(_run, documents, words) {
      const { name, folder } = splitPlace(need(words, 'The collection or folder, such as handbook/guides,'));
      const note = words.slice(1).join(' ').trim();
      const changed = await documents.changeCollection(name, { notes: [{ folder, note }] });
      return {
        json: changed,
        lines: () => [note === '' ? `Removed the note on ${words[0]}.` : `Hits in ${words[0]} come with this note.`],
      };
    },
  },
  remove: {
    async run(_run, documents, words) {
      const removed = await documents.removeCollection(need(words, 'The name of the collection'));
      const kept = removed.kept === 0 ? '' : `; ${removed.kept} stay in another collection`;
      return {
        json: removed,
        lines: () => [`Removed ${removed.name} with ${formatThings(removed.removed, 'document')}${kept}.`],
      };
    },
  },
};

/** How many chunks of an export have no vector, in words. */
const withoutVectors = (missing: number) =>
  missing === 0 ? '' : ` ${missing} chunks have no vector: found by keyword only.`;

export const actionOf = (word: string | undefined): Action => chosenAction(ACTIONS, word);

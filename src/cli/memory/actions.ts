import { resolve } from 'node:path';
import type { Memory } from '../../memories/contract/memory-answers.ts';
import type {
  ForgetMemories,
  ListMemories,
  SearchMemories,
  StoreMemory,
} from '../../memories/contract/memory-requests.ts';
import type { Memories } from '../../memories/memories.ts';
import { LOW_CONFIDENCE, MIN_SHOWN_CONFIDENCE } from '../../model/answer/low-confidence.ts';
import type { Caller } from '../../model/caller/caller.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { chosenAction } from '../context/chosen-action.ts';
import type { CommandOptions } from '../context/context.ts';
import { toLimit, toNumber, toTags } from '../context/filter-options.ts';
import { readStandardInput } from '../sources/standard-input.ts';
import { auditLines, memoryCard, memoryLines, shortHash, shortName } from '../terminal/memory-lines.ts';
import { percent } from '../terminal/percent.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { auditFile, importFile } from './memory-files.ts';

/** What an action prints: a value for programs, lines for people. */
export interface ActionAnswer {
  readonly json: unknown;
  readonly lines: (out: Terminal) => readonly string[];
  readonly warnings?: readonly string[];
}

export interface Action {
  /** Whether it asks the model, and so wants it loaded while the data folder opens. */
  readonly asks?: true;
  /** Reads nothing but the file that it is given. */
  readonly offline?: (words: readonly string[], options: CommandOptions) => Promise<ActionAnswer> | undefined;
  run(memories: Memories, words: readonly string[], options: CommandOptions, caller: Caller): Promise<ActionAnswer>;
}

const given = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The filters that search, list and forget share. What one of them does not know, it refuses. */
function filtersOf(options: CommandOptions): Record<string, unknown> {
  const { tag, match, type, source, minSource, namespace, agent, conversation, when, after, before } = options;
  const { minCertainty } = options;
  return given({
    tags: toTags(tag),
    tag_match: match,
    memory_type: type,
    source_class: source,
    min_source: minSource,
    min_certainty: minCertainty === undefined ? undefined : toNumber(minCertainty),
    namespace,
    agent_id: agent,
    conversation_id: conversation,
    time_expr: when,
    after,
    before,
  });
}

function need(words: readonly string[], what: string): string {
  const text = words.join(' ').trim();
  if (text !== '') return text;
  throw new DowserError('INVALID_REQUEST', `Say ${what}.`, { field: 'words', hint: 'See `dowser help memory`.' });
}

/** `-` is standard input. */
async function contentOf(words: readonly string[]): Promise<string> {
  return words.length === 1 && words[0] === '-' ? readStandardInput() : need(words, 'what to remember');
}

const nearLines = (near: readonly { readonly content_hash: string; readonly content: string }[]) =>
  near.map(
    ({ content_hash, content }) => `  nearly the same: ${shortHash(content_hash)}  ${content.replaceAll(/\s+/g, ' ')}`,
  );

export const ACTIONS: Readonly<Record<string, Action>> = {
  add: {
    async run(memories, words, options) {
      const { tag, type, source, namespace, agent, conversation, supersedes, reason, validFrom, invalidAt } = options;
      const request = given({
        content: await contentOf(words),
        tags: toTags(tag),
        memory_type: type,
        source_class: source ?? 'user',
        namespace,
        agent_id: agent,
        conversation_id: conversation,
        supersedes,
        reason,
        valid_from: validFrom,
        invalid_at: invalidAt,
      });
      const stored = await memories.store(request as unknown as StoreMemory);
      return {
        json: stored,
        warnings: stored.warnings,
        lines: () => [stored.message, ...nearLines(stored.near_duplicates)],
      };
    },
  },
  search: {
    asks: true,
    async run(memories, words, options) {
      const { mode, limit, asOf, all, minConfidence = MIN_SHOWN_CONFIDENCE } = options;
      if (words.length > 0 && words.every((word) => word.trim() === '')) {
        throw new DowserError('EMPTY_SEARCH', 'The query is empty.', {
          hint: 'Give some words, or only filters such as --tag. `dowser memory list` shows all.',
        });
      }
      const request = {
        ...filtersOf(options),
        ...given({ query: words.join(' '), mode, as_of: asOf, include_superseded: all }),
        // Without a query, nothing is rated.
        ...(words.length === 0 ? {} : { min_confidence: toNumber(minConfidence) }),
        limit: toLimit(limit, 10),
      };
      const found = await memories.search(request as SearchMemories);
      const shown = found.no_match ? found.nearest : found.memories;
      // Of history, the first one may be there for what it superseded.
      const best = Math.max(...found.memories.map(({ confidence }) => confidence));
      const doubt =
        found.memories.length > 0 && best < LOW_CONFIDENCE
          ? [`Low confidence: the best match is ${percent(best)}.`]
          : [];
      const nothing = shown.length === 0 ? 'Nothing matches.' : 'Nothing matches. The nearest:';
      const opening = found.no_match ? [nothing] : doubt;
      return { json: found, warnings: found.warnings, lines: (out) => [...opening, ...memoryLines(shown, out)] };
    },
  },
  list: {
    async run(memories, _words, options) {
      const { limit, page, all } = options;
      const request = {
        ...filtersOf(options),
        page: toLimit(page, 1),
        page_size: toLimit(limit, 20),
        ...given({ include_superseded: all }),
      };
      const found = await memories.list(request as ListMemories);
      const { total, memories: shown } = found;
      return {
        json: found,
        lines: (out) => [out.style.dim(`${shown.length} of ${total}`), ...memoryLines(shown, out)],
      };
    },
  },
  show: {
    async run(memories, words) {
      const memory = await memories.get(need(words, 'which memory, by its hash'));
      return { json: memory, lines: (out) => memoryCard(memory, out) };
    },
  },
  supersede: {
    async run(memories, [hash, ...words], { by, reason, undo }) {
      const old = need(hash === undefined ? [] : [hash], 'which memory, by its hash');
      if (undo === true) return superseded(await memories.undoSupersede(old));
      if (typeof by === 'string')
        return superseded(await memories.supersede(old, given({ by, reason }) as { by: string }));
      const content = await contentOf(words);
      const stored = await memories.update(old, given({ content, reason, source_class: 'user' }));
      return { json: stored, lines: () => [stored.message, ...nearLines(stored.near_duplicates)] };
    },
  },
  merge: {
    async run(memories, words, { reason, undo, tag, type, source, namespace, dryRun }) {
      if (undo === true)
        return superseded(await memories.undoSupersede(need(words, 'which merged memory, by its hash')));
      const hashes = words.slice(0, -1);
      if (hashes.length < 2) {
        throw new DowserError('INVALID_REQUEST', 'Name at least two memories, and the text that replaces them.', {
          field: 'words',
          hint: 'dowser memory merge HASH HASH "the text of both"',
        });
      }
      const old: Memory[] = [];
      for (const hash of hashes) old.push(await memories.get(hash));
      const request = given({
        content: await contentOf(words.slice(-1)),
        supersedes: hashes,
        reason,
        tags: toTags(tag) ?? [...new Set(old.flatMap(({ tags }) => tags))],
        memory_type: type ?? onlyOne(old.map(({ memory_type }) => memory_type)) ?? undefined,
        namespace: namespace ?? onlyOne(old.map((memory) => memory.namespace)) ?? undefined,
        source_class: source ?? 'user',
      });
      if (dryRun === true) {
        return {
          json: { dry_run: true, request, replaces: old },
          lines: (out) => ['Would merge:', ...memoryLines(old, out)],
        };
      }
      const stored = await memories.store(request as unknown as StoreMemory);
      const undoing = `Undo it with \`dowser memory merge --undo ${shortHash(stored.content_hash)}\`.`;
      return {
        json: stored,
        warnings: stored.warnings,
        lines: () => [stored.message, ...nearLines(stored.near_duplicates), undoing],
      };
    },
  },
  forget: {
    async run(memories, words, options) {
      const [content_hash] = words;
      const { dryRun, purge } = options;
      const request = { ...filtersOf(options), ...given({ content_hash, dry_run: dryRun, purge }) };
      const forgotten = await memories.forget(request as ForgetMemories);
      const found = forgotten.dry_run ? await readable(memories, forgotten.hashes) : [];
      const shown = new Set(found.flatMap(({ content_hash: hash, path }) => [hash, path]));
      const others = forgotten.hashes.filter((name) => !shown.has(name));
      return {
        json: forgotten,
        lines: (out) => [
          forgotten.message,
          ...memoryLines(found, out),
          ...others.map((name) => `  ${shortName(name)}`),
        ],
      };
    },
  },
  audit: {
    offline: ([file]) => (file === undefined ? undefined : auditFile(file).then(audited)),
    run: async (memories) => audited(await memories.audit()),
  },
  export: {
    async run(memories, words, options, { readers }) {
      const folder = resolve(need(words, 'which folder to write'));
      const dryRun = options.dryRun === true;
      const { exportFolder } = await import('./memory-folder.ts');
      const report = await exportFolder(memories, folder, {
        filters: filtersOf(options),
        dryRun,
        seesAll: readers === null,
      });
      const { written, removed, unchanged } = report;
      const verbs = dryRun ? 'Would write' : 'Wrote';
      return {
        json: report,
        lines: () => [`${verbs} ${written.length}, removed: ${removed.length}, unchanged: ${unchanged} (${folder})`],
      };
    },
  },
  import: {
    async run(memories, words, { source, namespace, dryRun }, { readers }) {
      const report = await importFile(memories, need(words, 'which file to import'), {
        ...given({ source_class: source, namespace }),
        dryRun: dryRun === true,
        seesAll: readers === null,
      });
      const { stored, duplicates, superseded, problems } = report;
      const done =
        dryRun === true
          ? `Would import ${report.found}`
          : `Imported ${stored}, duplicates: ${duplicates}, superseded: ${superseded}`;
      return {
        json: report,
        lines: () => [`${done} (${report.format})`, ...problems.map((problem) => `  ${problem}`)],
      };
    },
  },
};

/** What all have in common. */
const onlyOne = <T>(values: readonly T[]): T | undefined => (new Set(values).size === 1 ? values[0] : undefined);

/** The named memories, without those that were forgotten before or whose path is too long for a request. */
async function readable(memories: Memories, names: readonly string[]): Promise<readonly Memory[]> {
  const found: Memory[] = [];
  for (const name of names) {
    const memory = await memories.get(name).catch((thrown: unknown) => {
      if (thrown instanceof DowserError && ['NOT_FOUND', 'INVALID_REQUEST'].includes(thrown.code)) return undefined;
      throw thrown;
    });
    if (memory !== undefined) found.push(memory);
  }
  return found;
}

const audited = (report: Awaited<ReturnType<Memories['audit']>>): ActionAnswer => ({
  json: report,
  lines: (out) => auditLines(report, out),
});

const superseded = (done: Awaited<ReturnType<Memories['supersede']>>): ActionAnswer => ({
  json: done,
  lines: () => [done.message, ...nearLines(done.near_duplicates)],
});

export const actionOf = (word: string | undefined): Action => chosenAction(ACTIONS, word);

import { DowserError } from '../../model/errors.ts';
import { MAX_RESULTS, type SearchRequestInput } from '../../model/query.ts';
import type { SearchResult } from '../../model/result.ts';
import { type Backend, openBackend } from '../backend.ts';
import {
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  printJson,
  settingsFor,
  warnMissing,
} from '../context.ts';
import { expectNamed, parseWanted, type Wanted } from '../named-entity.ts';
import { scoreLines } from '../terminal/explanation-tree.ts';
import { percent } from '../terminal/percent.ts';
import { matchedPart, warningLines } from '../terminal/search-answer.ts';
import { oneLine } from '../terminal/text-width.ts';

function isWanted({ type, path }: Wanted, result: SearchResult): boolean {
  return (type === null || result.entity_type === type) && (result.path === path || result.path === `/${path}`);
}

interface Found {
  readonly rank: number;
  /** What the rank is among, when that is not the plain search. */
  readonly note: string | null;
  readonly result: SearchResult;
  /** Those of the answer it was found in. */
  readonly warnings: readonly string[];
}

/** Looks where a plain search would, then ever wider, so that also what a search hides can be explained. */
async function find(backend: Backend, plain: SearchRequestInput, wanted: Wanted): Promise<Found | undefined> {
  const hidden = { include_draft: true, include_deprecated: true, include_disabled: true };
  // A tool of a server is a result of its own only among tools.
  const type = wanted.type ?? (wanted.path.includes('#') ? 'tool' : null);
  const types = type === null ? {} : { entity_types: [type] };
  const unsure = { ...plain, min_confidence: 0 };
  const attempts: readonly (readonly [string | null, SearchRequestInput])[] = [
    [null, plain],
    ['of what is nearest, as nothing fits', unsure],
    ...(type === null ? [] : [[`among results of type ${type}`, { ...unsure, ...types }] as const]),
    ['with drafts, deprecated and disabled entities included', { ...unsure, ...types, ...hidden }],
  ];
  for (const [note, request] of attempts) {
    const { results, warnings } = await backend.search(request);
    const at = results.findIndex((result) => isWanted(wanted, result));
    if (at !== -1) return { rank: at + 1, note, result: results[at]!, warnings };
  }
  return undefined;
}

/** Why something is not among the results: because there is none of it, or because it is too far down. */
async function notFound(backend: Backend, wanted: Wanted, entity: string, query: string): Promise<DowserError> {
  await expectNamed(backend, wanted);
  return new DowserError('NOT_FOUND', `'${entity}' is not among the first ${MAX_RESULTS} results for '${query}'.`, {
    hint: 'It is registered, but too little of the query matches it; `dowser get` shows what it says.',
  });
}

async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<number> {
  const [query = '', entity = ''] = args;
  if (query.trim() === '') {
    throw new DowserError('INVALID_REQUEST', 'The query is empty: it must be what is searched for.', {
      field: 'query',
    });
  }
  const { settings } = settingsFor(context, options);
  const wanted = parseWanted(entity);
  const preset = options.preset === undefined ? {} : { preset: String(options.preset) };
  const question = { query, ...preset };
  const backend = await openBackend(settings, { reads: true, onMissing: warnMissing(context, options), question });
  try {
    const found = await find(backend, { query, explain: true, max_results: MAX_RESULTS, ...preset }, wanted);
    if (found === undefined) throw await notFound(backend, wanted, entity, query);
    const { rank, note, result, warnings } = found;
    if (options.json === true) {
      printJson(context, found);
      return 0;
    }
    const { style } = context.out;
    const place = `rank ${rank}${note === null ? '' : ` ${note}`}, confidence ${percent(result.confidence)}`;
    const part = matchedPart(result);
    const label = `${result.entity_type}:${oneLine(result.path)}${part === '' ? '' : ` > ${part}`}`;
    const name = `${style.bold(oneLine(result.name))} ${style.dim(label)}`;
    const lines = [name, place, ...warningLines(warnings, style), ...scoreLines(result, style)];
    context.out.write(`${lines.join('\n')}\n`);
    return 0;
  } finally {
    await backend.close();
  }
}

export const command: CommandModule = { run };

import type { SearchRequestInput } from '../../model/query.ts';
import type { SearchResponse } from '../../model/result.ts';
import { splitHashtags } from '../../search/query-text.ts';
import { type Backend, openBackend } from '../backend.ts';
import {
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  printJson,
  settingsFor,
  warnMissing,
} from '../context.ts';
import { toTags, toTypes } from '../filter-options.ts';
import { searchAnswer, warningLines } from '../terminal/search-answer.ts';

/** `--limit 5` is text; what is no number is left for the registry to refuse, with its own sentence. */
function toNumber(text: unknown): unknown {
  const number = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN;
  return Number.isNaN(number) ? text : number;
}

/** `--facets tags,status` */
const toList = (text: unknown) =>
  typeof text === 'string'
    ? text
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== '')
    : text;

export function toSearchRequest(args: readonly string[], options: CommandOptions): SearchRequestInput {
  const { type, tag, limit, preset, explain, includeDraft, includeDeprecated, includeDisabled, drifted } = options;
  const { offset, minConfidence, facets } = options;
  const request = {
    query: args.join(' '),
    entity_types: toTypes(type),
    tags: toTags(tag),
    max_results: toNumber(limit),
    offset: toNumber(offset),
    min_confidence: toNumber(minConfidence),
    facets: toList(facets),
    preset,
    explain,
    include_draft: includeDraft,
    include_deprecated: includeDeprecated,
    include_disabled: includeDisabled,
    drifted,
  };
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
}

/**
 * How many there are in all. Words are more or less near to everything, so that only tags alone give a number; and an answer
 * of one page counts only what that page needs, so that another is asked for which counts for all pages. Where a hashtag is
 * nobody's tag it was taken for text: then nothing has all of them as tags.
 */
async function totalOf(
  { results, total_candidates: matched }: SearchResponse,
  request: SearchRequestInput,
  backend: Backend,
): Promise<number | undefined> {
  const { text, hashtags } = splitHashtags(request.query ?? '');
  if (text !== '' || matched <= results.length) return undefined;
  const tags = [...(request.tags ?? []), ...hashtags];
  const tagged = await backend.search({ ...request, query: '', tags, offset: 0, max_results: 1 });
  return tagged.total_candidates === 0 ? undefined : tagged.total_candidates;
}

async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<number> {
  const { settings } = settingsFor(context, options);
  const request = toSearchRequest(args, options);
  const backend = await openBackend(settings, {
    reads: true,
    onMissing: warnMissing(context, options),
    question: request,
  });
  try {
    const answer = await backend.search(request);
    if (options.json === true) printJson(context, answer);
    else {
      for (const line of warningLines(answer.warnings, context.err.style)) context.err.write(`${line}\n`);
      const { offset = 0, min_confidence: minConfidence } = request;
      const showConfidence = options.explain === true || minConfidence !== undefined;
      const total = await totalOf(answer, request, backend);
      const asked = {
        ...(minConfidence === undefined ? {} : { minConfidence }),
        ...(total === undefined ? {} : { total }),
      };
      const isEmpty = answer.results.length === 0 && (await backend.health()).index.entities === 0;
      context.out.write(searchAnswer(answer, context.out, { offset, showConfidence, isEmpty, ...asked }));
    }
    return 0;
  } finally {
    await backend.close();
  }
}

export const command: CommandModule = { run };

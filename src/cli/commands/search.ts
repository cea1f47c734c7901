import type { SearchResponse } from '../../model/answer/result.ts';
import { type JsonObject, stated } from '../../model/json/json-object.ts';
import type { SearchRequestInput } from '../../model/query/query.ts';
import { splitList } from '../../model/text/trim-chars.ts';
import { splitHashtags } from '../../search/plan/query-text.ts';
import { type Backend, withBackend } from '../context/backend.ts';
import { type CommandModule, type CommandRun, printJson } from '../context/context.ts';
import { toNumber, toTags, toTypes } from '../context/filter-options.ts';
import { searchAnswer, warningLines } from '../terminal/search-answer.ts';

/** `--limit 5` is text. The registry refuses text that is not a number, with its own message. */
function numberIn(text: unknown): unknown {
  const number = toNumber(text);
  return Number.isNaN(number) ? text : number;
}

/** `--facets tags,status` */
const listIn = (text: unknown) => (text === undefined ? undefined : splitList(text as string));

export function toSearchRequest({ args, options }: Pick<CommandRun, 'args' | 'options'>): SearchRequestInput {
  const fields: JsonObject = {
    query: args.join(' '),
    entity_types: toTypes(options.type),
    tags: toTags(options.tag),
    max_results: numberIn(options.limit),
    offset: numberIn(options.offset),
    min_confidence: numberIn(options.minConfidence),
    facets: listIn(options.facets),
    preset: options.preset,
    explain: options.explain,
    include_draft: options.includeDraft,
    include_deprecated: options.includeDeprecated,
    include_disabled: options.includeDisabled,
    drifted: options.drifted,
    why_not: options.whyNot,
  };
  return stated(fields);
}

/**
 * The number of all matches of a search by tags alone. Text matches everything more or less, so it has no such number. An
 * answer counts only the candidates that its page needs, so a second search without an offset counts them all. It finds
 * none where a hashtag is not a tag of any entity: the first search took that hashtag as text.
 */
async function totalOf(
  { results, total_candidates: matched }: SearchResponse,
  request: SearchRequestInput,
  backend: Backend,
): Promise<number | undefined> {
  const { text, hashtags } = splitHashtags(request.query ?? '');
  if (text !== '' || matched <= results.length) return undefined;
  const tags = [...(request.tags ?? []), ...hashtags];
  const tagged = await backend.search({ ...request, query: '', tags, offset: 0, max_results: 1, peers: false });
  return tagged.total_candidates === 0 ? undefined : tagged.total_candidates;
}

async function run(run: CommandRun): Promise<number> {
  const { peers = 'setting' } = run.options as { peers?: boolean };
  const request: SearchRequestInput = { ...toSearchRequest(run), peers };
  return withBackend(run, { reads: true, missing: 'warn', question: request }, async (backend) => {
    const answer = await backend.search(request);
    if (run.options.json === true) {
      printJson(run, answer);
      return 0;
    }
    for (const line of warningLines(answer.warnings, run.err.style)) run.err.write(`${line}\n`);
    const { offset = 0, min_confidence: minConfidence } = request;
    const shown = {
      offset,
      minConfidence,
      total: await totalOf(answer, request, backend),
      isEmpty: answer.results.length === 0 && (await backend.health()).index.entities === 0,
    };
    run.out.write(searchAnswer(answer, run.out, shown));
    return 0;
  });
}

export const command: CommandModule = { run };

import type { SearchResult } from '../../model/answer/result.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { MAX_RESULTS, type SearchRequestInput } from '../../model/query/query.ts';
import { type Backend, withBackend } from '../context/backend.ts';
import { type CommandModule, type CommandRun, print } from '../context/context.ts';
import { expectNamed, parseWanted, type Wanted } from '../context/named-entity.ts';
import { scoreLines } from '../terminal/explanation-tree.ts';
import { percent } from '../terminal/percent.ts';
import { matchedPart, warningLines } from '../terminal/search-answer.ts';
import { oneLine } from '../terminal/text-width.ts';

function isWanted({ type, path }: Wanted, result: SearchResult): boolean {
  return (type === null || result.entity_type === type) && (result.path === path || result.path === `/${path}`);
}

/** Tries the plain search first, then wider ones, so that results that it hides can be explained too. */
async function find(backend: Backend, plain: SearchRequestInput, wanted: Wanted) {
  const hidden = { include_draft: true, include_deprecated: true, include_disabled: true };
  // A tool of a server is a result of its own only among tools.
  const type = wanted.type ?? (wanted.path.includes('#') ? 'tool' : null);
  const types = type === null ? {} : { entity_types: [type] };
  const unsure = { ...plain, min_confidence: 0 };
  // Each with a note that says how its ranks differ from those of the plain search.
  const attempts: readonly (readonly [string | null, SearchRequestInput])[] = [
    [null, plain],
    ['of the nearest results, as nothing fits', unsure],
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

/** Why an entity is not among the results: it is not registered, or its rank is too low. */
async function notFound(backend: Backend, wanted: Wanted, entity: string, query: string): Promise<DowserError> {
  await expectNamed(backend, wanted);
  return new DowserError('NOT_FOUND', `'${entity}' is not among the first ${MAX_RESULTS} results for '${query}'.`, {
    hint: 'It is registered, but matches too little of the query. See its text with `dowser get`.',
  });
}

async function run(run: CommandRun): Promise<number> {
  const [query = '', entity = ''] = run.args;
  if (query.trim() === '') throw new DowserError('INVALID_REQUEST', 'The query is empty.', { field: 'query' });
  const wanted = parseWanted(entity);
  const question = { query, ...(run.options.preset === undefined ? {} : { preset: String(run.options.preset) }) };
  return withBackend(run, { reads: true, missing: 'warn', question }, async (backend) => {
    const found = await find(backend, { ...question, explain: true, max_results: MAX_RESULTS }, wanted);
    if (found === undefined) throw await notFound(backend, wanted, entity, query);
    const { rank, note, result, warnings } = found;
    print(run, found, () => {
      const { style } = run.out;
      const place = `rank ${rank}${note === null ? '' : ` ${note}`}, confidence ${percent(result.confidence)}`;
      const part = matchedPart(result);
      const label = `${result.entity_type}:${oneLine(result.path)}${part === '' ? '' : ` > ${part}`}`;
      const name = `${style.bold(oneLine(result.name))} ${style.dim(label)}`;
      const lines = [name, place, ...warningLines(warnings, style), ...scoreLines(result, query, style)];
      return `${lines.join('\n')}\n`;
    });
    return 0;
  });
}

export const command: CommandModule = { run };

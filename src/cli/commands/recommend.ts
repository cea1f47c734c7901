import { FACETS } from '../../model/entity-parts/facets.ts';
import { stated } from '../../model/json/json-object.ts';
import type { RecommendRequest } from '../../registry/contract/recommend-schemas.ts';
import { withBackend } from '../context/backend.ts';
import { type CommandModule, type CommandRun, print } from '../context/context.ts';
import { toTypes } from '../context/filter-options.ts';
import { recommendationText } from '../terminal/recommendation-text.ts';
import { warningLines } from '../terminal/search-answer.ts';

export function toRecommendRequest({ args, options }: Pick<CommandRun, 'args' | 'options'>): RecommendRequest {
  const context = stated(Object.fromEntries(FACETS.map((facet) => [facet, options[facet]])));
  return stated({
    query: args.join(' '),
    context: Object.keys(context).length === 0 ? undefined : context,
    entity_types: toTypes(options.type),
    preset: options.preset,
  }) as unknown as RecommendRequest;
}

async function run(run: CommandRun): Promise<number> {
  const request = toRecommendRequest(run);
  const question = { query: request.query };
  return withBackend(run, { reads: true, missing: 'warn', question }, async (backend) => {
    const answer = await backend.recommend(request);
    if (run.options.json !== true) {
      for (const line of warningLines(answer.warnings, run.err.style)) run.err.write(`${line}\n`);
    }
    print(run, answer, () => recommendationText(answer, run.out));
    return 0;
  });
}

export const command: CommandModule = { run };

import { parseEntityType } from '../../model/entity.ts';
import type { SearchRequestInput } from '../../model/query.ts';
import { openBackend } from '../backend.ts';
import { type CommandContext, type CommandModule, type CommandOptions, printJson, settingsFor } from '../context.ts';
import { searchAnswer, warningLines } from '../terminal/search-answer.ts';

/** `--limit 5` is text; what is no number is left for the registry to refuse, with its own sentence. */
const toNumber = (text: unknown) => (typeof text === 'string' && text.trim() !== '' ? Number(text) : text);

export function toSearchRequest(args: readonly string[], options: CommandOptions): SearchRequestInput {
  const { type, tag, limit, preset, explain, includeDraft, includeDeprecated, includeDisabled, drifted } = options;
  const request = {
    query: args.join(' '),
    entity_types: (type as readonly string[] | undefined)?.map(parseEntityType),
    tags: tag,
    max_results: Number.isNaN(toNumber(limit)) ? limit : toNumber(limit),
    preset,
    explain,
    include_draft: includeDraft,
    include_deprecated: includeDeprecated,
    include_disabled: includeDisabled,
    drifted,
  };
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
}

async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<number> {
  const { settings } = settingsFor(context, options);
  const request = toSearchRequest(args, options);
  const backend = await openBackend(settings);
  try {
    const answer = await backend.search(request);
    if (options.json === true) printJson(context, answer);
    else {
      for (const line of warningLines(answer.warnings, context.err.style)) context.err.write(`${line}\n`);
      context.out.write(searchAnswer(answer, context.out));
    }
    return 0;
  } finally {
    await backend.close();
  }
}

export const command: CommandModule = { run };

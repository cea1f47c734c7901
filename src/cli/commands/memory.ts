import { UNRESTRICTED } from '../../model/caller/caller.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import { withBackend } from '../context/backend.ts';
import { type CommandModule, type CommandRun, print, settingsFor, warn } from '../context/context.ts';
import { type ActionAnswer, actionOf } from '../memory/actions.ts';

const READS: readonly (string | undefined)[] = ['search', 'list', 'show', 'audit', 'export'];

async function answerOf(run: CommandRun): Promise<ActionAnswer> {
  const { options, args } = run;
  const [name, ...words] = args;
  const action = actionOf(name);
  const offline = action.offline?.(words, options);
  if (offline !== undefined) return offline;
  const { settings } = settingsFor(run);
  const reads = READS.includes(name);
  const backendOptions = {
    settings,
    reads,
    // An export of nothing would remove every file of an earlier one.
    ...(reads ? { missing: name === 'export' ? ('refuse' as const) : ('warn' as const) } : {}),
    ...(action.asks === true ? { question: { query: words.join(' '), preset: 'memory' } } : {}),
  };
  return withBackend(run, backendOptions, async (backend) => {
    const answer = await action.run(
      await backend.memories(),
      words,
      options,
      (await run.key?.caller()) ?? UNRESTRICTED,
    );
    // A command that ends has no background queue: compute the vectors of an import now.
    if (name === 'import' && options.dryRun !== true && settings.embeddings_provider !== 'off') {
      await backend.embedPending().catch((thrown) => warn(run, toDowserError(thrown).message));
    }
    return answer;
  });
}

export const command: CommandModule = {
  async run(run) {
    const answer = await answerOf(run);
    if (run.options.json !== true) for (const warning of answer.warnings ?? []) warn(run, warning);
    print(run, answer.json, () => `${answer.lines(run.out).join('\n')}\n`);
    return 0;
  },
};

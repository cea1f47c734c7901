import { withBackend } from '../context/backend.ts';
import {
  bulkSettingsFor,
  type CommandModule,
  type CommandRun,
  exitCodeOf,
  print,
  settingsFor,
  warn,
} from '../context/context.ts';
import { actionOf } from '../documents/actions.ts';
import { embedMissing, warnUnembedded } from '../model/missing-vectors.ts';

async function run(run: CommandRun): Promise<number> {
  const { args, options, signal } = run;
  const [name, ...words] = args;
  const action = actionOf(name);
  const settings = action.embeds === true ? bulkSettingsFor(run) : settingsFor(run).settings;
  const reads = action.reads === true;
  const backendOptions = {
    settings,
    reads,
    ...(reads ? { missing: 'warn' as const } : {}),
    ...(action.asks === true ? { question: { query: words.join(' '), preset: 'documents' } } : {}),
  };
  return withBackend(run, backendOptions, async (backend) => {
    try {
      const answer = await action.run(run, await backend.documents(), words, backend, settings);
      if (action.isEndless === true) return 0;
      if (options.json !== true) for (const warning of answer.warnings ?? []) warn(run, warning);
      print(run, answer.json, () => `${answer.lines(run.out).join('\n')}\n`);
      // A command that ends has no background queue: compute the vectors now.
      if (action.embeds === true) warnUnembedded(run, await embedMissing(run, settings, backend));
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
    if (!signal.aborted) return 0;
    warn(run, 'Interrupted. The files so far are stored. Run the command again for the rest and the vectors.');
    return exitCodeOf(signal.reason);
  });
}

export const command: CommandModule = { run, graceful: true };

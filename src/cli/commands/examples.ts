import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import { type Backend, openBackend, openExisting } from '../backend.ts';
import {
  bulkSettingsFor,
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  printJson,
  warnMissing,
} from '../context.ts';
import { embedShown, warnUnembedded } from '../model/missing-vectors.ts';
import { examplesAmong, loadExamples, rememberExamples, removeExamples } from '../sources/examples.ts';
import { formatEntities } from '../terminal/progress.ts';

const ACTIONS = ['status', 'load', 'remove'] as const;

async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<number> {
  const [action = 'status'] = args;
  const { settings } = bulkSettingsFor(context, options);
  const say = (answer: object, text: string) => {
    if (options.json === true) printJson(context, answer);
    else context.out.write(`${text}\n`);
  };
  const within = async (opening: Promise<Backend>, work: (backend: Backend) => Promise<void>) => {
    const backend = await opening;
    try {
      await work(backend);
      return 0;
    } finally {
      await backend.close();
    }
  };
  switch (action) {
    case 'status':
      return within(
        openBackend(settings, { reads: true, onMissing: warnMissing(context, options) }),
        async (backend) => {
          const { length } = examplesAmong(await backend.sources());
          const state = length === 0 ? 'not loaded' : `loaded: ${formatEntities(length)}`;
          say({ loaded: length }, `The example catalog is ${state}.`);
        },
      );
    case 'load':
      return within(openBackend(settings), async (backend) => {
        const results = await loadExamples(backend);
        if (settings.engine !== 'memory') await rememberExamples(settings.data_dir);
        const kept = results.filter(({ state }) => state === 'kept').length;
        const loaded = results.length - kept;
        const wantsVectors = options.lexical !== true && settings.embeddings_provider !== 'off';
        const vectors = wantsVectors ? await embedShown(context, backend) : null;
        const yours = kept === 0 ? '' : ` ${formatEntities(kept)} of your own stayed in place of an example.`;
        say({ loaded, kept, vectors }, `Loaded the example catalog: ${formatEntities(loaded)}.${yours}`);
        if (vectors !== null && options.json !== true) warnUnembedded(context, vectors);
      });
    case 'remove':
      return within(openExisting(settings), async (backend) => {
        const removed = await removeExamples(backend);
        say({ removed }, `Removed the example catalog: ${formatEntities(removed)}.`);
      });
    default:
      throw new DowserError('INVALID_REQUEST', `There is no examples action ${showValue(action)}.`, {
        hint: `Use one of ${ACTIONS.join(', ')}.`,
      });
  }
}

export const command: CommandModule = { run };

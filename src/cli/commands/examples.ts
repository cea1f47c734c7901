import { type Backend, type BackendOptions, withBackend } from '../context/backend.ts';
import { bulkSettingsFor, type CommandModule, type CommandRun, print, runNamed } from '../context/context.ts';
import { examplesAmong, loadExamples, rememberExamples, removeExamples } from '../context/examples.ts';
import { embedMissing, warnUnembedded } from '../model/missing-vectors.ts';
import { formatEntities } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

const MAX_LABELS = 5;

function run(run: CommandRun): Promise<number> {
  const settings = bulkSettingsFor(run);
  const within = async (options: BackendOptions, work: (backend: Backend) => Promise<void>) => {
    await withBackend(run, { settings, ...options }, work);
    return 0;
  };
  return runNamed(run, 'examples action', {
    status: () =>
      within({ reads: true, missing: 'warn' }, async (backend) => {
        const { length: loaded } = examplesAmong(await backend.sources());
        const state = loaded === 0 ? 'not loaded' : `loaded: ${formatEntities(loaded)}`;
        print(run, { loaded }, () => `The example catalog is ${state}.\n`);
      }),
    load: () =>
      within({}, async (backend) => {
        const results = await loadExamples(backend);
        if (settings.engine !== 'memory') await rememberExamples(settings.data_dir);
        const kept = results.filter(({ state }) => state === 'kept').length;
        const loaded = results.length - kept;
        const vectors = await embedMissing(run, settings, backend);
        const yours = kept === 0 ? '' : ` Kept ${formatEntities(kept)} of your own in place of an example.`;
        print(run, { loaded, kept, vectors }, () => `Loaded the example catalog: ${formatEntities(loaded)}.${yours}\n`);
        warnUnembedded(run, vectors);
      }),
    remove: () =>
      within({ missing: 'refuse' }, async (backend) => {
        const { removed, kept } = await removeExamples(backend);
        const labels = kept.slice(0, MAX_LABELS).map(({ entity_type: type, path }) => `${type}:${path}`);
        const more = kept.length > MAX_LABELS ? ` and ${kept.length - MAX_LABELS} more` : '';
        const yours = `Kept what you have replaced, changed, approved or blocked: ${labels.join(', ')}${more}. Delete it with \`dowser delete\`.`;
        print(
          run,
          { removed, kept },
          () =>
            `Removed the example catalog: ${formatEntities(removed)}.\n${kept.length === 0 ? '' : `${oneLine(yours)}\n`}`,
        );
      }),
  });
}

export const command: CommandModule = { run };

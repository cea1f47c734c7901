import { DEFAULT_MODEL, knownModel } from '../../embedders/known-models.ts';
import { listModels } from '../../embedders/model-store.ts';
import { type CommandModule, type CommandRun, print, runNamed, settingsFor } from '../context.ts';
import { fetchModel } from '../model/fetch-model.ts';
import { MODEL_STATES } from '../model/local-model.ts';
import { padEnd } from '../terminal/text-width.ts';

const MEGABYTE = 1_000_000;

async function run(run: CommandRun): Promise<number> {
  const { settings } = settingsFor(run);
  const { embeddings_provider: provider, embeddings_model_name: configured, models_dir: modelsDir } = settings;
  // Only the local provider has models in this folder.
  const { name } = knownModel(provider === 'local' ? (configured ?? DEFAULT_MODEL) : DEFAULT_MODEL);
  return runNamed(run, 'model action', {
    status: () => status(run, name, modelsDir),
    pull: async () => {
      const { dir, dimensions } = await fetchModel(run, name, modelsDir);
      print(run, { name, dir, dimensions }, () => `${name} is in ${dir}\n`);
      return 0;
    },
    path: async () => {
      const { dir, state } = (await rows(name, modelsDir)).find((row) => row.chosen)!;
      print(run, { name, dir, state }, () => `${dir}\n`);
      return 0;
    },
  });
}

async function rows(chosen: string, modelsDir: string | undefined) {
  const listed = await listModels({ modelsDir });
  return listed.map(({ model, dir, state, bytes }) => ({
    name: model.name,
    chosen: model.name === chosen,
    state: MODEL_STATES[state],
    dimensions: model.dimensions,
    bytes,
    license: model.license,
    dir,
  }));
}

async function status(run: CommandRun, chosen: string, modelsDir: string | undefined): Promise<number> {
  const models = await rows(chosen, modelsDir);
  const inUse = models.find((model) => model.chosen);
  print(run, { models }, () => {
    const { style } = run.out;
    const width = Math.max(...models.map(({ name }) => name.length));
    const lines = models.map((model) => {
      const mark = model.chosen ? '*' : ' ';
      const state = (model.state === 'ready' ? style.green : style.yellow)(padEnd(model.state, 7));
      const size = `${(model.bytes / MEGABYTE).toFixed(0)} MB`.padStart(6);
      return `${mark} ${padEnd(model.name, width)}  ${state}  ${size}  ${style.dim(model.dir)}\n`;
    });
    const advice = inUse?.state === 'ready' ? '' : 'Fetch the chosen model (*) with `dowser model pull`.\n';
    return `${lines.join('')}${advice}`;
  });
  return inUse?.state === 'damaged' ? 1 : 0;
}

export const command: CommandModule = { run, graceful: true };

import { stat } from 'node:fs/promises';
import { findModel, listModels } from '../../embedders/models/model-store.ts';
import { findRuntime } from '../../embedders/onnx/runtime-store.ts';
import { addModel } from '../../embedders/open/add-model.ts';
import { HUB_PREFIX } from '../../embedders/open/hub-model.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { type CommandModule, type CommandRun, print, runNamed, settingsFor, warn } from '../context/context.ts';
import { MODEL_STATES } from '../context/local-model.ts';
import { chooseModel } from '../model/choose-model.ts';
import { fetchHubModel, fetchModel } from '../model/fetch-model.ts';
import { padEnd } from '../terminal/text-width.ts';

const MEGABYTE = 1_000_000;

async function run(run: CommandRun): Promise<number> {
  const { settings } = settingsFor(run);
  const { embeddings_provider: provider, embeddings_model_name: configured, models_dir: modelsDir } = settings;
  if (run.args[0] === 'use') return use(run);
  if (run.args.length > 1)
    throw new DowserError('INVALID_REQUEST', 'Only `dowser model use` takes the name of a model.');
  // Only the local provider has models in this folder.
  const { name } = findModel(provider === 'local' ? configured : undefined, { modelsDir });
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
    use: () => use(run),
  });
}

/** Fetches a known model or one of the hub, or adds one from a folder, and makes it the model of the data folder. */
async function use(run: CommandRun): Promise<number> {
  const [, what] = run.args;
  if (what === undefined) {
    throw new DowserError('INVALID_REQUEST', '`dowser model use` needs the name of a model, or a folder.', {
      hint: 'See the names with `dowser model`.',
    });
  }
  const loaded = settingsFor(run);
  const { models_dir: modelsDir } = loaded.settings;
  const language = run.options.english === true ? 'English' : undefined;
  const name = what.startsWith(HUB_PREFIX)
    ? (await fetchHubModel(run, what, { modelsDir, language })).name
    : (await isFolder(what))
      ? (await addModel(what, { modelsDir, language })).name
      : (await fetchModel(run, what, modelsDir)).name;
  const { file, overridden } = await chooseModel(loaded, name);
  for (const { setting, origin } of overridden) warn(run, `${setting} is still set by ${origin}, which has priority.`);
  print(
    run,
    { name, file, overridden },
    () =>
      `${name} is now the model of ${loaded.settings.data_dir}\nRestart a running server, or run \`dowser reindex\`. Searches use the old vectors until the new ones are there.\n`,
  );
  return overridden.length === 0 ? 0 : 1;
}

/** A name has no slash at its start and no dot: a folder of the same name here is not meant by accident. */
const isFolder = async (what: string): Promise<boolean> =>
  /^[./~]|^[A-Za-z]:\\|\/$/.test(what) &&
  (await stat(what).then(
    (found) => found.isDirectory(),
    () => {
      throw new DowserError('INVALID_REQUEST', `There is no folder ${what}.`);
    },
  ));

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
  const found = await findRuntime({ modelsDir });
  const runtime = { ...found, state: MODEL_STATES[found.state] };
  const inUse = [...models.filter((model) => model.chosen), runtime];
  print(run, { models, runtime }, () => {
    const { style } = run.out;
    const all = [...models, { ...runtime, chosen: false }];
    const width = Math.max(...all.map(({ name }) => name.length));
    const lines = all.map((model) => {
      const mark = model.chosen ? '*' : ' ';
      const state = (model.state === 'ready' ? style.green : style.yellow)(padEnd(model.state, 7));
      const size = `${(model.bytes / MEGABYTE).toFixed(0)} MB`.padStart(6);
      return `${mark} ${padEnd(model.name, width)}  ${state}  ${size}  ${style.dim(model.dir)}\n`;
    });
    const isReady = inUse.every(({ state }) => state === 'ready');
    const advice = isReady ? '' : 'Fetch the chosen model (*) and the runtime with `dowser model pull`.\n';
    return `${lines.join('')}${advice}`;
  });
  return inUse.some(({ state }) => state === 'damaged') ? 1 : 0;
}

export const command: CommandModule = { run, graceful: true };

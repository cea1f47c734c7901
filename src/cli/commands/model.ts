import { DEFAULT_MODEL, knownModel } from '../../embedders/known-models.ts';
import { listModels } from '../../embedders/model-store.ts';
import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import { type CommandContext, type CommandModule, type CommandOptions, printJson, settingsFor } from '../context.ts';
import { fetchModel } from '../model/fetch-model.ts';
import { MODEL_STATES } from '../model/local-model.ts';
import { padEnd } from '../terminal/text-width.ts';

const ACTIONS = ['status', 'pull', 'path'] as const;
const MEGABYTE = 1_000_000;

async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<number> {
  const [action = 'status'] = args;
  const { settings } = settingsFor(context, options);
  const { embeddings_provider: provider, embeddings_model_name: configured, models_dir: modelsDir } = settings;
  // The model of an endpoint is not ours to keep.
  const { name } = knownModel(provider === 'local' ? (configured ?? DEFAULT_MODEL) : DEFAULT_MODEL);
  const json = options.json === true;
  switch (action) {
    case 'status':
      return status(context, name, modelsDir, json);
    case 'pull':
      return pull(context, name, modelsDir, json);
    case 'path':
      return path(context, name, modelsDir, json);
    default:
      throw new DowserError('INVALID_REQUEST', `There is no model action ${showValue(action)}.`, {
        hint: `Use one of ${ACTIONS.join(', ')}.`,
      });
  }
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

async function status(context: CommandContext, chosen: string, modelsDir: string | undefined, json: boolean) {
  const models = await rows(chosen, modelsDir);
  if (json) printJson(context, { models });
  else {
    const { style } = context.out;
    const width = Math.max(...models.map(({ name }) => name.length));
    for (const model of models) {
      const mark = model.chosen ? '*' : ' ';
      const state = (model.state === 'ready' ? style.green : style.yellow)(padEnd(model.state, 7));
      const size = `${(model.bytes / MEGABYTE).toFixed(0)} MB`.padStart(6);
      context.out.write(`${mark} ${padEnd(model.name, width)}  ${state}  ${size}  ${style.dim(model.dir)}\n`);
    }
    if (models.some((model) => model.chosen && model.state !== 'ready')) {
      context.out.write('Fetch the chosen model (*) with `dowser model pull`.\n');
    }
  }
  return models.some((model) => model.chosen && model.state === 'damaged') ? 1 : 0;
}

async function pull(context: CommandContext, name: string, modelsDir: string | undefined, json: boolean) {
  const { dir, dimensions } = await fetchModel(context, name, modelsDir);
  if (json) printJson(context, { name, dir, dimensions });
  else context.out.write(`${name} is in ${dir}\n`);
  return 0;
}

async function path(context: CommandContext, chosen: string, modelsDir: string | undefined, json: boolean) {
  const model = (await rows(chosen, modelsDir)).find((row) => row.chosen)!;
  if (json) printJson(context, { name: model.name, dir: model.dir, state: model.state });
  else context.out.write(`${model.dir}\n`);
  return 0;
}

export const command: CommandModule = { run, graceful: true };

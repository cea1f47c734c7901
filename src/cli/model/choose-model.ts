import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONFIG_FILE, type LoadedSettings, type SettingsInput } from '../../config.ts';
import type { JsonObject } from '../../model/json/json-object.ts';

/** Where a setting was found that `config.json` cannot change. */
export type Overridden = { readonly setting: string; readonly origin: string };

/**
 * Makes a local model the one of the data folder, in its `config.json`. Returns what still overrides it: the environment
 * has priority over the file.
 */
export async function chooseModel(
  { settings, origins }: LoadedSettings,
  name: string,
): Promise<{ readonly file: string; readonly overridden: readonly Overridden[] }> {
  const file = join(settings.data_dir, CONFIG_FILE);
  const chosen: SettingsInput = { embeddings_provider: 'local', embeddings_model_name: name };
  // The settings were read from this file before, so it has a JSON object or is not there.
  const before = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as JsonObject,
    () => ({}),
  );
  await mkdir(settings.data_dir, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify({ ...before, ...chosen }, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(temporary, file);
  const overridden = (['embeddings_provider', 'embeddings_model_name'] as const)
    .filter((setting) => origins[setting].startsWith('the environment') && settings[setting] !== chosen[setting])
    .map((setting) => ({ setting, origin: origins[setting] }));
  return { file, overridden };
}

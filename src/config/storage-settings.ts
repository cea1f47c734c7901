import { platformDataFolder } from './platform-folder.ts';
import type { SettingDefinitions } from './setting-definition.ts';
import { folder, oneOf } from './setting-values.ts';

/** Files and folders. */
export const STORAGE_SETTINGS = {
  data_dir: {
    schema: folder.default(() => platformDataFolder()),
    env: ['DOWSER_DATA'],
    flag: '--data',
    shown: "the platform's data folder",
    meaning: 'The folder of the database, `config.json` and `server.json`. Cannot be set in `config.json`.',
  },
  models_dir: {
    schema: folder.optional(),
    env: ['DOWSER_MODELS'],
    shown: "the platform's cache folder",
    meaning: 'The folder of local embedding models. All data folders share it, so that a model is fetched once.',
  },
  engine: {
    schema: oneOf(['embedded', 'memory']).default('embedded'),
    env: ['DOWSER_ENGINE'],
    meaning: '`embedded` stores everything in one SQLite file. `memory` loses everything at exit.',
  },
} as const satisfies SettingDefinitions;

import { platformDataFolder } from './platform-folder.ts';
import type { SettingDefinitions } from './setting-definition.ts';
import { folder, oneOf } from './setting-values.ts';

/** What is kept where. */
export const STORAGE_SETTINGS = {
  data_dir: {
    schema: folder.default(() => platformDataFolder()),
    env: ['DOWSER_DATA'],
    flag: '--data',
    shown: "the platform's data folder",
    meaning: 'Where the database, `config.json` and `server.json` live. Cannot be set in `config.json` itself.',
  },
  models_dir: {
    schema: folder.optional(),
    env: ['DOWSER_MODELS'],
    flag: null,
    shown: "the platform's cache folder",
    meaning: 'Where local embedding models are kept. Data folders share it, so that a model is fetched once.',
  },
  engine: {
    schema: oneOf(['embedded', 'memory']).default('embedded'),
    env: ['DOWSER_ENGINE'],
    flag: null,
    shown: '`embedded`',
    meaning: '`embedded` keeps everything in one SQLite file; `memory` forgets everything at exit.',
  },
} as const satisfies SettingDefinitions;

import { z } from 'zod';
import { platformDataFolder } from './platform-folder.ts';
import type { SettingDefinitions } from './setting-definition.ts';
import { folder, oneOf, whole } from './setting-values.ts';

/** Files and folders. */
export const STORAGE_SETTINGS = {
  data_dir: {
    schema: folder.default(() => platformDataFolder()),
    env: ['DOWSER_DATA'],
    flag: '--data',
    shown: "the platform's data folder",
    meaning: 'The folder of the database, `config.json` and `server.json`. Cannot be set in `config.json`.',
  },
  store: {
    schema: z
      .string()
      .refine((url) => /^postgres(?:ql)?:\/\/[^/]/.test(url) && URL.canParse(url), 'must be a postgres:// address')
      .optional(),
    env: ['DOWSER_STORE'],
    shown: 'the data folder',
    meaning:
      'The PostgreSQL database that several nodes share, such as `postgres://USER:PASSWORD@HOST:5432/DATABASE`. The data folder is then a copy of it. Needs `npm install pg`. Never printed or logged.',
    secret: true,
  },
  replica_max_behind: {
    schema: whole(1, 3600).default(10),
    env: ['DOWSER_REPLICA_MAX_BEHIND'],
    meaning: 'With `store`: a node that has lacked writes for more seconds than this is not ready.',
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

import { z } from 'zod';
import { platformDataFolder } from './platform-folder.ts';
import type { SettingDefinitions } from './setting-definition.ts';
import { folder, oneOf, onOff, whole, word } from './setting-values.ts';

/** Hosts with ports, and nothing that may be a key. */
const QDRANT = /^qdrants?:\/\/[^/?#@]+\/?$/;

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
    meaning:
      'With `store`: how many seconds may pass since the shared database last confirmed that a node has every write. Past that, the node is not ready.',
  },
  replica_when_lost: {
    schema: oneOf(['leave', 'serve']).default('leave'),
    env: ['DOWSER_REPLICA_WHEN_LOST'],
    meaning:
      'With `store`: what a node does that cannot reach the shared database for longer than `replica_max_behind`. `leave`: it is not ready. `serve`: it stays ready and answers from its copy, which may be old. See [scale](scale.md#when-something-fails).',
  },
  vectors: {
    schema: z
      .string()
      .refine((text) => QDRANT.test(text), 'must be a qdrant:// or qdrants:// address without a key')
      .optional(),
    env: ['DOWSER_VECTORS'],
    shown: 'in memory',
    meaning:
      'The Qdrant server that searches the vectors, such as `qdrant://HOST:6333`, or `qdrants://` for TLS. Several nodes of it: `qdrant://HOST1:6333,HOST2:6333`. See [scale](scale.md#vectors-in-qdrant).',
    secret: true,
  },
  vectors_api_key: {
    schema: word.optional(),
    env: ['DOWSER_VECTORS_API_KEY', 'QDRANT_API_KEY'],
    meaning: 'The API key of `vectors`. Never printed or logged.',
    secret: true,
  },
  vectors_ef: {
    schema: whole(10, 10_000).default(100),
    env: ['DOWSER_VECTORS_EF'],
    meaning:
      'With `vectors`: how many candidates a search among more than 50,000 units compares. A higher value is more accurate and slower.',
  },
  vectors_int8: {
    schema: onOff.default(false),
    env: ['DOWSER_VECTORS_INT8'],
    meaning:
      'With `vectors`: search int8-quantized vectors first, then rescore the best ones with the full vectors. Takes effect for a new collection.',
  },
  vectors_m: {
    schema: whole(4, 128).default(16),
    env: ['DOWSER_VECTORS_M'],
    meaning: 'With `vectors`: how many links each unit has in the HNSW graph. Takes effect for a new collection.',
  },
  vectors_ef_construct: {
    schema: whole(4, 10_000).default(128),
    env: ['DOWSER_VECTORS_EF_CONSTRUCT'],
    meaning: 'With `vectors`: how many candidates are compared to link a new unit. Takes effect for a new collection.',
  },
  vectors_shards: {
    schema: whole(1, 1000).optional(),
    env: ['DOWSER_VECTORS_SHARDS'],
    shown: "Qdrant's own",
    meaning: 'With `vectors`: the shards of a collection. Takes effect for a new collection.',
  },
  vectors_replication: {
    schema: whole(1, 100).default(1),
    env: ['DOWSER_VECTORS_REPLICATION'],
    meaning:
      'With `vectors`: how many Qdrant nodes store each vector. With 2, one node may fail. Takes effect for a new collection.',
  },
  vectors_write_consistency: {
    schema: whole(1, 100).default(1),
    env: ['DOWSER_VECTORS_WRITE_CONSISTENCY'],
    meaning:
      'With `vectors`: how many nodes must confirm a write. Above 1, writes stop while a node is down. Takes effect for a new collection.',
  },
  models_dir: {
    schema: folder.optional(),
    env: ['DOWSER_MODELS'],
    shown: "the platform's cache folder",
    meaning: 'The folder of local embedding models. All data folders share it, so each model is downloaded only once.',
  },
  engine: {
    schema: oneOf(['embedded', 'memory']).default('embedded'),
    env: ['DOWSER_ENGINE'],
    meaning: '`embedded` stores everything in one SQLite file. `memory` loses everything at exit.',
  },
} as const satisfies SettingDefinitions;

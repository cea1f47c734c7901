import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { parseJson } from './api/json-text.ts';
import { DowserError } from './model/errors.ts';
import { showValue } from './model/parse.ts';
import { DEFAULT_PRESET } from './search/plan.ts';
import { PRESETS } from './search/presets.ts';
import { DEFAULT_EF_SEARCH } from './search/vector/ef-search.ts';

export const DEFAULT_PORT = 7470;
export const DEFAULT_BODY_LIMIT_BYTES = 8 * 1024 * 1024;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Names of the registry's own that mean the same as ours. `litellm` is not one: it spells model names differently. */
const PROVIDER_ALIASES: Readonly<Record<string, string>> = { 'sentence-transformers': 'local', none: 'off' };
export const EMBEDDINGS_PROVIDERS = ['local', 'openai', 'bedrock', 'ollama', 'litellm', 'off'] as const;

/** What the registry's own setting for the fusion calls its two designs. */
const FUSION_METHODS: Readonly<Record<string, string>> = { rrf: 'registry', legacy: 'registry-legacy' };

/** The environment and the command line only have text, so a number or a switch may come as text too. */
const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(
    (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    z.int(message).min(min, message).max(max, message),
  );
};

const share = z.preprocess(
  (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
  z.number('must be a number from 0 to 1').min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1'),
);

const SWITCH_WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  yes: true,
  on: true,
  false: false,
  '0': false,
  no: false,
  off: false,
};
const onOff = z.preprocess(
  (value) => (typeof value === 'string' ? (SWITCH_WORDS[value.trim().toLowerCase()] ?? value) : value),
  z.boolean('must be true or false'),
);

const oneOf = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

const folder = z
  .string('must be the path of a folder')
  .min(1, 'must be the path of a folder')
  .transform((path) => resolve(path.replace(/^~(?=$|[\\/])/, () => homedir())));

const word = z.string('must be text').trim().min(1, 'must not be empty');

interface Definition {
  readonly schema: z.ZodType;
  /** Environment variables, the first that is set wins. */
  readonly env: readonly string[];
  readonly flag: string | null;
  /** The default as the documents show it. */
  readonly shown: string;
  readonly meaning: string;
  readonly secret?: true;
}

/** Every setting, once: the schema, where it can be set, and what it means. `docs/settings.md` is tested against it. */
const DEFINITIONS = {
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
  host: {
    schema: word.default('127.0.0.1'),
    env: ['DOWSER_HOST'],
    flag: '--host',
    shown: '`127.0.0.1`',
    meaning:
      'The address to serve on. On a loopback address, only loopback names and the name of `public_url` are accepted as Host and Origin. On another, a page of another site may only read.',
  },
  port: {
    schema: whole(0, 65_535).default(DEFAULT_PORT),
    env: ['DOWSER_PORT', 'PORT'],
    flag: '--port',
    shown: `\`${DEFAULT_PORT}\``,
    meaning: 'The port to serve on, 0 to 65535; 0 takes any free one.',
  },
  public_url: {
    schema: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    env: ['DOWSER_PUBLIC_URL', 'PUBLIC_URL'],
    flag: null,
    shown: 'the address each request came to',
    meaning:
      'Where others reach this server, such as `https://tools.example.com`. It is in links and names that other registries and agents read, its pages may send requests, and with it pages of any site may read the routes of the standards; see [standards](standards.md).',
  },
  body_limit_bytes: {
    schema: whole(1024, 1024 * 1024 * 1024).default(DEFAULT_BODY_LIMIT_BYTES),
    env: ['DOWSER_BODY_LIMIT_BYTES'],
    flag: null,
    shown: `\`${DEFAULT_BODY_LIMIT_BYTES}\` (8 MiB)`,
    meaning: 'The largest request body, in bytes. A larger one is answered with 413.',
  },
  indexing_wait_ms: {
    schema: whole(0, 600_000).default(2000),
    env: ['DOWSER_INDEXING_WAIT_MS'],
    flag: null,
    shown: '`2000`',
    meaning: 'How long a write waits for its vectors, in milliseconds, before it leaves them to the background queue.',
  },
  preset: {
    schema: z
      .preprocess(
        (value) => (typeof value === 'string' ? (FUSION_METHODS[value] ?? value) : value),
        word.refine((name) => Object.hasOwn(PRESETS, name), `must be one of ${Object.keys(PRESETS).join(', ')}`),
      )
      .default(DEFAULT_PRESET),
    env: ['DOWSER_PRESET', 'SEARCH_FUSION_METHOD'],
    flag: null,
    shown: `\`${DEFAULT_PRESET}\``,
    meaning:
      'The ranking of a search that names none. As the registry’s own names, `rrf` here means `registry` and `legacy` means `registry-legacy`.',
  },
  vector_search_ef_search: {
    schema: whole(10, 100_000).default(DEFAULT_EF_SEARCH),
    env: ['VECTOR_SEARCH_EF_SEARCH'],
    flag: null,
    shown: `\`${DEFAULT_EF_SEARCH}\``,
    meaning:
      'Where vectors are searched approximately (in the embedded engine from 20,000 eligible units on), how many of the most promising are compared exactly. More is surer and slower.',
  },
  dedup_score_threshold: {
    schema: share.default(0.7),
    env: ['DEDUP_SCORE_THRESHOLD'],
    flag: null,
    shown: '`0.7`',
    meaning: 'The cosine, 0 to 1, from which on a registered entity is suggested as a duplicate of a new one.',
  },
  dedup_max_suggestions: {
    schema: whole(0, 50).default(3),
    env: ['DEDUP_MAX_SUGGESTIONS'],
    flag: null,
    shown: '`3`',
    meaning: 'How many such suggestions a check for duplicates gives at most, 0 to 50.',
  },
  source_connect_ms: {
    schema: whole(100, 600_000).default(10_000),
    env: ['DOWSER_SOURCE_CONNECT_MS'],
    flag: null,
    shown: '`10000`',
    meaning: 'How long a server that is added may take to start and connect, in milliseconds.',
  },
  source_list_ms: {
    schema: whole(100, 600_000).default(10_000),
    env: ['DOWSER_SOURCE_LIST_MS'],
    flag: null,
    shown: '`10000`',
    meaning: 'How long it may then take to list what it has, and how long one fetch may take, in milliseconds.',
  },
  source_max_bytes: {
    schema: whole(1024, 1024 * 1024 * 1024).default(10 * 1024 * 1024),
    env: ['DOWSER_SOURCE_MAX_BYTES'],
    flag: null,
    shown: `\`${10 * 1024 * 1024}\` (10 MiB)`,
    meaning: 'The largest document or message that is read from a source, in bytes.',
  },
  log_level: {
    schema: oneOf(LOG_LEVELS).default('info'),
    env: ['DOWSER_LOG_LEVEL'],
    flag: '--log-level',
    shown: '`info`; `warn` on a terminal and for `dowser mcp`',
    meaning: `How much is logged to standard error: ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}. A terminal gets short lines, anything else one JSON object a line.`,
  },
  log_query_text: {
    schema: onOff.default(false),
    env: ['SEARCH_LOG_QUERY_TEXT'],
    flag: null,
    shown: '`false`',
    meaning: 'Whether the log may hold what people searched for.',
  },
  embeddings_provider: {
    schema: z
      .preprocess(
        (value) => (typeof value === 'string' ? (PROVIDER_ALIASES[value] ?? value) : value),
        oneOf(EMBEDDINGS_PROVIDERS),
      )
      .default('local'),
    env: ['EMBEDDINGS_PROVIDER'],
    flag: null,
    shown: '`local`',
    meaning:
      '`local` runs the model on this machine, `openai` calls any endpoint of that shape (a LiteLLM proxy, for one), `bedrock` Amazon Bedrock, `ollama` an Ollama server, `off` searches by keyword only. `litellm` takes model names like `openai/text-embedding-3-small`, `bedrock/amazon.titan-embed-text-v2:0` or `ollama/nomic-embed-text` and calls whom they name. `sentence-transformers` means `local` and `none` means `off`.',
  },
  embeddings_model_name: {
    schema: word.optional(),
    env: ['EMBEDDINGS_MODEL_NAME'],
    flag: null,
    shown: '`all-MiniLM-L6-v2`, for an endpoint `text-embedding-3-small`, for Bedrock `amazon.titan-embed-text-v2:0`',
    meaning:
      'The embedding model. When it is changed, the old one goes on answering until every vector is computed anew. Ollama needs one.',
  },
  embeddings_dimensions: {
    schema: whole(1, 16_384).optional(),
    env: ['EMBEDDINGS_DIMENSIONS'],
    flag: null,
    shown: "the model's own",
    meaning: 'How many numbers a vector has, 1 to 16384. Needed for a model Dowser does not know.',
  },
  embeddings_api_base: {
    schema: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    env: ['EMBEDDINGS_API_BASE'],
    flag: null,
    shown: 'none',
    meaning:
      'The address of the embedding endpoint, up to and without `/embeddings`. For Ollama the default is `http://127.0.0.1:11434`; for Bedrock it replaces the address of the region.',
  },
  embeddings_api_key: {
    schema: word.optional(),
    env: ['EMBEDDINGS_API_KEY'],
    flag: null,
    shown: 'none',
    meaning: 'The key for the embedding endpoint, for Bedrock an access key id. Never printed or logged.',
    secret: true,
  },
  embeddings_secret_key: {
    schema: word.optional(),
    env: ['EMBEDDINGS_SECRET_KEY'],
    flag: null,
    shown: 'none',
    meaning:
      'For Bedrock: the secret access key that belongs to `embeddings_api_key`. Without the two, AWS finds its own credentials. Never printed or logged.',
    secret: true,
  },
  embeddings_aws_region: {
    schema: word.optional(),
    env: ['EMBEDDINGS_AWS_REGION', 'AWS_REGION', 'AWS_DEFAULT_REGION'],
    flag: null,
    shown: '`us-east-1`',
    meaning: 'For Bedrock: the region of the model.',
  },
  embeddings_response_format: {
    schema: oneOf(['openai', 'raw_array']).default('openai'),
    env: ['EMBEDDINGS_RESPONSE_FORMAT'],
    flag: null,
    shown: '`openai`',
    meaning: 'How the endpoint answers: `openai`, or `raw_array` for a bare list of vectors.',
  },
  embeddings_workers: {
    schema: whole(1, 64).default(1),
    env: ['EMBEDDINGS_WORKERS'],
    flag: null,
    shown: '`1`',
    meaning:
      'How many threads the local model runs on, 1 to 64. Each holds its own copy of the model in memory. `import` and `eval` use every core, up to 4, unless this is set.',
  },
} as const satisfies Record<string, Definition>;

export type SettingName = keyof typeof DEFINITIONS;
export const SETTING_NAMES = Object.keys(DEFINITIONS) as readonly SettingName[];

type Schemas = { readonly [K in SettingName]: (typeof DEFINITIONS)[K]['schema'] };
const shape = Object.fromEntries(SETTING_NAMES.map((name) => [name, DEFINITIONS[name].schema])) as unknown as Schemas;

export const settingsSchema = z.strictObject(shape);
export type Settings = Readonly<z.output<typeof settingsSchema>>;
/** Any setting may be left out, and numbers and switches may be text. */
export type SettingsInput = { readonly [K in SettingName]?: unknown };

export interface SettingInfo {
  readonly name: SettingName;
  readonly env: readonly string[];
  readonly flag: string | null;
  /** The default as the documents show it. */
  readonly fallback: string;
  readonly meaning: string;
  /** A secret is never shown, not even in an error about it. */
  readonly secret: boolean;
}

export const SETTINGS: readonly SettingInfo[] = SETTING_NAMES.map((name) => {
  const { env, flag, shown, meaning, ...rest } = DEFINITIONS[name];
  return { name, env, flag, fallback: shown, meaning, secret: 'secret' in rest };
});

/** Where programs keep a user's data on this system. */
export function platformDataFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'dowser');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'dowser');
  const xdg = env.XDG_DATA_HOME;
  return join(xdg === undefined || xdg === '' ? join(home, '.local', 'share') : xdg, 'dowser');
}

/** What `origins` says of a value that nobody gave. */
export const DEFAULT_ORIGIN = 'the default';

export interface LoadedSettings {
  readonly settings: Settings;
  /** For each setting, in words, where its value came from. */
  readonly origins: Readonly<Record<SettingName, string>>;
}

export interface SettingSources {
  readonly flags?: SettingsInput;
  readonly env?: NodeJS.ProcessEnv;
}

interface Given {
  readonly value: unknown;
  readonly origin: string;
}

/** Reads every source, in rising priority: defaults, `config.json` in the data folder, the environment, flags. */
export function loadSettings(sources: SettingSources = {}): LoadedSettings {
  const env = sources.env ?? process.env;
  const given = new Map<SettingName, Given>();
  for (const { name, env: variables, flag } of SETTINGS) {
    const variable = variables.find((key) => (env[key] ?? '') !== '');
    if (variable !== undefined) given.set(name, { value: env[variable], origin: `the environment (${variable})` });
    const value = sources.flags?.[name];
    if (value !== undefined) given.set(name, { value, origin: flag === null ? 'the caller' : `the flag ${flag}` });
  }
  const base = platformDataFolder(env);
  const dataDir = parseSettings(
    { data_dir: base },
    new Map([...given].filter(([name]) => name === 'data_dir')),
  ).data_dir;
  const file = join(dataDir, 'config.json');
  for (const [name, value] of Object.entries(readConfigFile(file))) {
    if (!given.has(name as SettingName)) given.set(name as SettingName, { value, origin: file });
  }
  const settings = parseSettings({ data_dir: base }, given);
  const origins = Object.fromEntries(SETTING_NAMES.map((name) => [name, given.get(name)?.origin ?? DEFAULT_ORIGIN]));
  return { settings, origins: origins as Record<SettingName, string> };
}

/** Fills in the defaults and checks every value; reads neither files nor the environment (the data folder's default aside). */
export function parseSettings(input: SettingsInput, given: ReadonlyMap<SettingName, Given> = new Map()): Settings {
  const values: Record<string, unknown> = { ...input };
  for (const [name, { value }] of given) values[name] = value;
  const parsed = settingsSchema.safeParse(values);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  if (issue.code === 'unrecognized_keys') throw unknownSetting(issue.keys[0]!, 'the settings');
  const name = issue.path[0] as SettingName;
  const shown = DEFINITIONS[name] !== undefined && 'secret' in DEFINITIONS[name] ? 'set' : showValue(values[name]);
  const origin = given.get(name)?.origin;
  throw new DowserError(
    'INVALID_SETTING',
    `The setting '${name}' is ${shown}${origin === undefined ? '' : `, from ${origin}`}: ${issue.message}.`,
    { field: name, hint: `Change it or remove it; the default is ${DEFINITIONS[name].shown.replaceAll('`', '')}.` },
  );
}

function unknownSetting(key: string, where: string): DowserError {
  return new DowserError('INVALID_SETTING', `There is no setting ${showValue(key)}, which ${where} names.`, {
    field: key,
    hint: `The settings are ${SETTING_NAMES.join(', ')}.`,
  });
}

function readConfigFile(file: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new DowserError('INVALID_SETTING', `The settings file ${file} cannot be read (${code}).`, { cause });
  }
  const parsed = parseJson(text, `settings file ${file}`, 'INVALID_SETTING');
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw new DowserError('INVALID_SETTING', `The settings file ${file} holds ${showValue(parsed)}, not an object.`);
  }
  for (const key of Object.keys(parsed)) {
    if (!(key in DEFINITIONS) || key === 'data_dir') throw unknownSetting(key, file);
  }
  return parsed as Record<string, unknown>;
}

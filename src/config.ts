import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from './api/wire/json-text.ts';
import { ACCESS_SETTINGS } from './config/access-settings.ts';
import { CALL_SETTINGS } from './config/call-settings.ts';
import { CHAT_SETTINGS } from './config/chat-settings.ts';
import { EMBEDDING_SETTINGS } from './config/embedding-settings.ts';
import { GRAPH_SETTINGS } from './config/graph-settings.ts';
import { LOG_SETTINGS } from './config/log-settings.ts';
import { MEMORY_SETTINGS } from './config/memory-settings.ts';
import { PEER_SETTINGS } from './config/peer-settings.ts';
import { platformDataFolder } from './config/platform-folder.ts';
import { SEARCH_SETTINGS } from './config/search-settings.ts';
import { SERVER_SETTINGS } from './config/server-settings.ts';
import type { SettingDefinition } from './config/setting-definition.ts';
import { SOURCE_SETTINGS } from './config/source-settings.ts';
import { STORAGE_SETTINGS } from './config/storage-settings.ts';
import { DowserError } from './model/errors/errors.ts';
import { isJsonObject, type JsonObject } from './model/json/json-object.ts';
import { issueWords } from './model/parse/issue-words.ts';
import { showValue } from './model/parse/parse.ts';
import { meantName } from './model/text/meant-name.ts';

export { LOG_LEVELS } from './config/log-settings.ts';
export { platformDataFolder } from './config/platform-folder.ts';

/** Every setting. `docs/settings.md` is tested against it. */
const DEFINITIONS = {
  ...STORAGE_SETTINGS,
  ...GRAPH_SETTINGS,
  ...SERVER_SETTINGS,
  ...ACCESS_SETTINGS,
  ...SEARCH_SETTINGS,
  ...MEMORY_SETTINGS,
  ...CHAT_SETTINGS,
  ...SOURCE_SETTINGS,
  ...PEER_SETTINGS,
  ...CALL_SETTINGS,
  ...LOG_SETTINGS,
  ...EMBEDDING_SETTINGS,
} as const;

export type SettingName = keyof typeof DEFINITIONS;
const SETTING_NAMES = Object.keys(DEFINITIONS) as readonly SettingName[];

type Schemas = { readonly [K in SettingName]: (typeof DEFINITIONS)[K]['schema'] };
const shape = Object.fromEntries(SETTING_NAMES.map((name) => [name, DEFINITIONS[name].schema])) as unknown as Schemas;

const settingsSchema = z.strictObject(shape);
/** All settings with their values: see docs/settings.md. */
export type Settings = Readonly<z.output<typeof settingsSchema>>;
/** Every setting is optional. Numbers and booleans may be text. */
export type SettingsInput = { readonly [K in SettingName]?: unknown };

export interface SettingInfo {
  readonly name: SettingName;
  readonly env: readonly string[];
  readonly flag: string | null;
  /** The default as the docs show it. */
  readonly fallback: string;
  readonly meaning: string;
  /** Never shown, not even in an error. */
  readonly secret: boolean;
}

export const SETTINGS: readonly SettingInfo[] = SETTING_NAMES.map((name) => {
  const { schema, env, flag, shown, meaning, secret }: SettingDefinition = DEFINITIONS[name];
  const value = shown === undefined ? schema.parse(undefined) : undefined;
  const fallback = shown ?? (value === undefined ? 'none' : `\`${value}\``);
  return { name, env, flag: flag ?? null, fallback, meaning, secret: secret === true };
});

/** The origin of a default value. */
export const DEFAULT_ORIGIN = 'the default';

export interface LoadedSettings {
  readonly settings: Settings;
  /** Where the value of each setting came from, in words. */
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

/** The settings of a data folder, in it. */
export const CONFIG_FILE = 'config.json';

/** Reads all settings. Priority, lowest first: defaults, `config.json` in the data folder, environment, flags. */
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
  const file = join(dataDir, CONFIG_FILE);
  for (const [name, value] of Object.entries(readConfigFile(file))) {
    if (!given.has(name as SettingName)) given.set(name as SettingName, { value, origin: file });
  }
  const settings = parseSettings({ data_dir: base }, given);
  const origins = Object.fromEntries(SETTING_NAMES.map((name) => [name, given.get(name)?.origin ?? DEFAULT_ORIGIN]));
  return { settings, origins: origins as Record<SettingName, string> };
}

/** Checks every value and adds defaults. Reads no files and no environment, except for the default data folder. */
export function parseSettings(input: SettingsInput, given: ReadonlyMap<SettingName, Given> = new Map()): Settings {
  checkObject(input);
  const values: Record<string, unknown> = { ...input };
  for (const [name, { value }] of given) values[name] = value;
  const parsed = settingsSchema.safeParse(values, { error: (issue) => issueWords(issue) });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  if (issue.code === 'unrecognized_keys') throw unknownSetting(issue.keys[0]!, 'the settings');
  const name = issue.path[0] as SettingName;
  const { secret, fallback } = SETTINGS.find((setting) => setting.name === name)!;
  const shown = secret ? 'set' : showValue(values[name]);
  const origin = given.get(name)?.origin;
  throw new DowserError(
    'INVALID_SETTING',
    `The setting '${name}' is ${shown}${origin === undefined ? '' : `, from ${origin}`}: ${issue.message}.`,
    { field: name, hint: `Change or remove it. The default is ${fallback.replaceAll('`', '')}.` },
  );
}

/** For callers without types: a path in place of settings would silently open the default folder. */
function checkObject(input: unknown): void {
  if (isJsonObject(input)) return;
  const dir = typeof input === 'string' ? input : './data';
  throw new DowserError('INVALID_SETTING', `The settings are ${showValue(input)}: must be an object.`, {
    hint: `For example { data_dir: ${showValue(dir)} }.`,
  });
}

function unknownSetting(key: string, where: string): DowserError {
  const meant = meantName(key, SETTING_NAMES);
  return new DowserError('INVALID_SETTING', `Unknown setting ${showValue(key)} in ${where}.`, {
    field: key,
    hint: meant === undefined ? `The settings are ${SETTING_NAMES.join(', ')}.` : `Did you mean '${meant}'?`,
  });
}

function readConfigFile(file: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new DowserError('INVALID_SETTING', `Cannot read the settings file ${file} (${code}).`, { cause });
  }
  const parsed = parseJson(text, `settings file ${file}`, 'INVALID_SETTING');
  if (!isJsonObject(parsed)) {
    const message = `The settings file ${file} must be a JSON object, not ${showValue(parsed)}.`;
    throw new DowserError('INVALID_SETTING', message);
  }
  for (const key of Object.keys(parsed)) {
    if (!(key in DEFINITIONS) || key === 'data_dir') throw unknownSetting(key, file);
  }
  return parsed;
}

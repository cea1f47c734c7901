import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings, parseSettings, platformDataFolder, SETTINGS } from './config.ts';
import { DowserError } from './model/errors/errors.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-config-'));
});
afterEach(() => rm(dir, { recursive: true }));

const writeConfig = (content: unknown) =>
  writeFile(join(dir, 'config.json'), typeof content === 'string' ? content : JSON.stringify(content));

function errorOf(act: () => unknown): DowserError {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof DowserError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

describe('loadSettings', () => {
  it('has a default for everything that needs one', () => {
    const { settings, origins } = loadSettings({ env: { XDG_DATA_HOME: dir, APPDATA: dir } });
    expect(settings).toMatchObject({
      host: '127.0.0.1',
      port: 7470,
      engine: 'embedded',
      log_level: 'info',
      log_query_text: false,
      body_limit_bytes: 8 * 1024 * 1024,
      indexing_wait_ms: 2000,
      embeddings_provider: 'local',
    });
    expect(settings.embeddings_api_key).toBeUndefined();
    expect(new Set(Object.values(origins))).toEqual(new Set(['the default']));
  });

  it('lets flags win over the environment, the environment over the file, the file over the default', async () => {
    await writeConfig({ port: 1001, host: '0.0.0.0', log_level: 'warn' });
    const env = { DOWSER_DATA: dir, DOWSER_PORT: '1002', DOWSER_HOST: '::1' };
    const { settings, origins } = loadSettings({ env, flags: { port: '1003' } });
    expect([settings.port, settings.host, settings.log_level, settings.engine]).toEqual([
      1003,
      '::1',
      'warn',
      'embedded',
    ]);
    expect(origins).toMatchObject({
      port: 'the flag --port',
      host: 'the environment (DOWSER_HOST)',
      log_level: join(dir, 'config.json'),
      engine: 'the default',
    });
  });

  it('reads the file of the data folder that a flag names', async () => {
    await writeConfig({ port: 1001 });
    const { settings } = loadSettings({ env: { DOWSER_DATA: '/nowhere' }, flags: { data_dir: dir } });
    expect([settings.data_dir, settings.port]).toEqual([dir, 1001]);
  });

  it('takes the first variable that is set, and an empty one for unset', () => {
    const portOf = (env: NodeJS.ProcessEnv) => loadSettings({ env: { DOWSER_DATA: dir, ...env } }).settings.port;
    expect(portOf({ PORT: '81' })).toBe(81);
    expect(portOf({ PORT: '81', DOWSER_PORT: '82' })).toBe(82);
    expect(portOf({ PORT: '81', DOWSER_PORT: '' })).toBe(81);
    expect(portOf({ PORT: '', DOWSER_PORT: '' })).toBe(7470);
  });

  it.each([
    ['SEARCH_LOG_QUERY_TEXT', 'log_query_text', 'TRUE', true],
    ['SEARCH_LOG_QUERY_TEXT', 'log_query_text', '0', false],
    ['EMBEDDINGS_DIMENSIONS', 'embeddings_dimensions', '768', 768],
    ['EMBEDDINGS_PROVIDER', 'embeddings_provider', 'sentence-transformers', 'local'],
    ['EMBEDDINGS_PROVIDER', 'embeddings_provider', 'litellm', 'litellm'],
    ['EMBEDDINGS_PROVIDER', 'embeddings_provider', 'none', 'off'],
    ['EMBEDDINGS_API_BASE', 'embeddings_api_base', 'http://localhost:11434/v1/', 'http://localhost:11434/v1'],
    ['EMBEDDINGS_RESPONSE_FORMAT', 'embeddings_response_format', 'raw_array', 'raw_array'],
    ['DOWSER_INDEXING_WAIT_MS', 'indexing_wait_ms', '0', 0],
    ['DOWSER_MODELS', 'models_dir', '~/models', join(homedir(), 'models')],
    ['DOWSER_MODELS', 'models_dir', 'models', resolve('models')],
  ] as const)('reads %s as %s: %s is %s', (variable, name, text, value) => {
    expect(loadSettings({ env: { DOWSER_DATA: dir, [variable]: text } }).settings[name]).toBe(value);
  });

  it.each([
    ['DOWSER_PORT', 'port', 'abc'],
    ['DOWSER_PORT', 'port', '65536'],
    ['DOWSER_PORT', 'port', '80.5'],
    ['PORT', 'port', '-1'],
    ['DOWSER_LOG_LEVEL', 'log_level', 'loud'],
    ['SEARCH_LOG_QUERY_TEXT', 'log_query_text', 'maybe'],
    ['EMBEDDINGS_PROVIDER', 'embeddings_provider', 'oracle'],
    ['EMBEDDINGS_DIMENSIONS', 'embeddings_dimensions', '0'],
    ['EMBEDDINGS_API_BASE', 'embeddings_api_base', 'ftp://example.org'],
    ['DOWSER_ENGINE', 'engine', 'oracle'],
    ['DOWSER_BODY_LIMIT_BYTES', 'body_limit_bytes', '10'],
    ['DOWSER_HOST', 'host', '  '],
  ])('refuses %s with the setting, the value and where it came from: %s', (variable, name, value) => {
    const error = errorOf(() => loadSettings({ env: { DOWSER_DATA: dir, [variable]: value } }));
    expect(error).toMatchObject({ code: 'INVALID_SETTING', field: name });
    expect(error.message).toContain(`'${name}' is "${value}", from the environment (${variable})`);
    expect(error.hint).toBeDefined();
  });

  it('takes origins as browsers send them, without a path', () => {
    const origins = (text: string) =>
      loadSettings({ env: { DOWSER_DATA: dir, DOWSER_ALLOWED_ORIGINS: text } }).settings.allowed_origins;
    expect(origins('https://Tools.example.com/, http://localhost:6274, https://a.example:443')).toEqual([
      'https://tools.example.com',
      'http://localhost:6274',
      'https://a.example',
    ]);
    for (const wrong of [
      '*',
      'null',
      'tools.example.com',
      'https://a.example/page',
      'https://me:x@a.example',
      'file:///x',
    ]) {
      expect(
        errorOf(() => origins(wrong)),
        wrong,
      ).toMatchObject({ code: 'INVALID_SETTING' });
    }
  });

  it.each([
    ['a typing mistake', { prot: 80 }, 'prot'],
    ['the data folder, which the file is in', { data_dir: '/x' }, 'data_dir'],
    ['a list', [], 'must be a JSON object'],
    ['text', '"x"', 'must be a JSON object'],
    ['half a file', '{"port": 80', 'line 1, column 12'],
    ['a wrong value', { port: 'http' }, '\'port\' is "http"'],
  ])('refuses a file with %s', async (_, content, part) => {
    await writeConfig(content);
    const error = errorOf(() => loadSettings({ env: { DOWSER_DATA: dir } }));
    expect(error.code).toBe('INVALID_SETTING');
    expect(error.message).toContain(part);
    expect(error.message).toContain(join(dir, 'config.json'));
  });

  it('refuses a file it cannot read', async () => {
    await mkdir(join(dir, 'config.json'));
    expect(errorOf(() => loadSettings({ env: { DOWSER_DATA: dir } })).message).toContain('EISDIR');
  });

  it('never shows a key, not even a wrong one', async () => {
    const wrongType = errorOf(() => parseSettings({ embeddings_api_key: ['sk-secret'] }));
    await writeConfig('{"embeddings_api_key": "sk-secret" oops}');
    const wrongFile = errorOf(() => loadSettings({ env: { DOWSER_DATA: dir } }));
    for (const error of [wrongType, wrongFile]) expect(`${error.message} ${error.hint}`).not.toContain('secret');
  });
});

describe('parseSettings', () => {
  it('fills in defaults for a caller that gives a few', () => {
    expect(parseSettings({ engine: 'memory', data_dir: dir })).toMatchObject({
      engine: 'memory',
      port: 7470,
      data_dir: dir,
    });
  });

  it('takes its own answer again', () => {
    const settings = parseSettings({ data_dir: dir, embeddings_api_base: 'http://localhost/v1' });
    expect(parseSettings(settings)).toEqual(settings);
  });

  it.each(['./x', null, 5, []])('refuses %j, which is no object of settings', (input) => {
    expect(() => parseSettings(input as object)).toThrow(
      expect.objectContaining({
        code: 'INVALID_SETTING',
        message: `The settings are ${JSON.stringify(input)}: must be an object.`,
        hint: `For example { data_dir: "${typeof input === 'string' ? input : './data'}" }.`,
      }),
    );
  });

  it('refuses a setting that does not exist', () => {
    const error = errorOf(() => parseSettings({ prot: 80 } as object));
    expect(error).toMatchObject({ code: 'INVALID_SETTING', field: 'prot' });
  });
});

describe('platformDataFolder', () => {
  const home = join('/home', 'someone');
  it.each([
    ['linux', {}, join(home, '.local', 'share', 'dowser')],
    ['linux', { XDG_DATA_HOME: '/data' }, join('/data', 'dowser')],
    ['linux', { XDG_DATA_HOME: '' }, join(home, '.local', 'share', 'dowser')],
    ['darwin', {}, join(home, 'Library', 'Application Support', 'dowser')],
    ['win32', { APPDATA: 'R' }, join('R', 'dowser')],
    ['win32', {}, join(home, 'AppData', 'Roaming', 'dowser')],
  ] as const)('on %s with %j is %s', (platform, env, expected) => {
    expect(platformDataFolder(env, platform, home)).toBe(expected);
  });
});

describe('SETTINGS', () => {
  it('gives every variable and flag to one setting only', () => {
    const names = SETTINGS.flatMap(({ env, flag }) => [...env, ...(flag === null ? [] : [flag])]);
    expect(new Set(names).size).toBe(names.length);
  });
});

it('suggests the setting that was probably meant', async () => {
  await writeFile(join(dir, 'config.json'), '{"prot": 3}');
  const load = () => loadSettings({ flags: { data_dir: dir }, env: {} });
  expect(load).toThrow(expect.objectContaining({ field: 'prot', hint: "Did you mean 'port'?" }));
});

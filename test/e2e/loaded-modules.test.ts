import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sandbox, SERVERS } from './cli-process.ts';

const NOTE_LOADING = new URL('./note-loading.mjs', import.meta.url).href;

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(() => sandbox.close());

/** Which of these a command loads: libraries, and of Dowser itself folders with all that is below. */
async function loadedOf(names: readonly string[], args: readonly string[]): Promise<readonly string[]> {
  const notes = join(sandbox.dir, 'loaded.txt');
  await rm(notes, { force: true });
  const { code } = await sandbox.run(args, { NODE_OPTIONS: `--import=${NOTE_LOADING}`, NOTE_LOADING: notes });
  expect([args, code]).toEqual([args, 0]);
  const urls = await readFile(notes, 'utf8');
  expect(urls).toContain('/dist/cli/main.js');
  return names.filter((name) => urls.includes(`/node_modules/${name}/`) || urls.includes(`/dist/${name}/`));
}

const LIBRARIES = [
  '@hono/node-server',
  '@huggingface/tokenizers',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  'hono',
  'jsonc-parser',
  'onnxruntime-common',
  'pino',
  'yaml',
];

const MACHINERY = [...LIBRARIES, '@photostructure/sqlite', 'engines', 'registry', 'sources', 'mcp', 'http', 'eval'];

it('loads nothing but names for the help', async () => {
  const model = ['answer', 'caller', 'entity-types', 'errors', 'json', 'parse', 'query', 'text'].map(
    (name) => `model/${name}`,
  );
  const anything = [...MACHINERY, ...model, 'zod', 'commander', 'search', 'config', 'embedders', 'client', 'api'];
  for (const args of [['--help'], ['search', '--help']]) expect(await loadedOf(anything, args)).toEqual([]);
});

it('loads no database, index or model to ask a server', async () => {
  await sandbox.run(['import', await sandbox.file('servers.jsonl', SERVERS)]);
  const { stop } = await sandbox.serve();
  const unneeded = [...MACHINERY, 'embedders', 'search/text', 'search/keyword'];
  for (const args of [
    ['search', 'page'],
    ['get', 'mcp_server', '/postbox'],
    ['list'],
    ['tags'],
    ['export'],
    ['drift'],
  ]) {
    expect([args, await loadedOf(unneeded, args)]).toEqual([args, []]);
  }
  await stop('SIGTERM');
});

it('loads no database or index to look after the model', async () => {
  expect(await loadedOf([...MACHINERY, 'search/text', 'search/keyword'], ['model', 'path'])).toEqual([]);
});

it('opens a folder without what serves it, what reads sources, and the model', async () => {
  const file = await sandbox.file('servers.jsonl', SERVERS);
  for (const args of [
    ['import', file],
    ['search', 'page'],
    ['get', 'mcp_server', '/postbox'],
    ['explain', 'page', '/page-reader'],
    ['delete', 'mcp_server', '/postbox'],
  ]) {
    expect([args, await loadedOf([...LIBRARIES, 'mcp', 'http'], args)]).toEqual([args, []]);
  }
});

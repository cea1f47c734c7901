import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseWith } from '../../src/model/parse/parse.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { MODELS } from './client-models.ts';

const linesOf = (name: string): readonly Record<string, unknown>[] =>
  readFileSync(new URL(`../../examples/catalog/${name}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const FILES = ['mcp-servers', 'agents', 'skills', 'virtual-servers', 'packages'];

let served: ServedRegistry;
beforeAll(async () => {
  served = await serveRegistry();
  await served.registry.putMany(FILES.flatMap(linesOf));
});
afterAll(() => served.close());

const read = async (path: string) => (await served.ask('GET', path)).json;

describe('the example catalog, as clients read it', () => {
  it.each([
    ['CL-1', '/api/servers?limit=2000', 'serverList'],
    ['CL-7', '/api/agents?limit=2000', 'agentList'],
    ['CL-10', '/api/skills?limit=2000&include_disabled=true', 'skillList'],
    ['CL-14', '/api/virtual-servers?limit=2000', 'virtualServerList'],
  ] as const)('%s: %s fits the model', async (_, path, model) => {
    parseWith(MODELS[model], await read(path), path);
  });

  it('CL-8: every agent fits the model, alone and in a search, and has an address', async () => {
    const { agents } = await read('/api/agents?limit=2000');
    expect(agents.length).toBeGreaterThan(15);
    for (const { path, name, url } of agents) {
      expect(url, path).toMatch(/^https:/);
      parseWith(MODELS.agent, await read(`/api/agents${path}`), path);
      const { json } = await served.send('POST', '/api/search/semantic', { query: name, entity_types: ['a2a_agent'] });
      parseWith(MODELS.search, json, path);
    }
  });

  it('CL-2: every server fits the model', async () => {
    for (const { path } of linesOf('mcp-servers'))
      parseWith(MODELS.server, await read(`/api/servers${path}`), `${path}`);
  });

  it('has a version of every package', () => {
    expect(linesOf('packages').filter(({ version }) => typeof version !== 'string')).toEqual([]);
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseWith } from '../../src/model/parse/parse.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { skill } from '../support/skill.ts';
import { MODELS } from './client-models.ts';

const SKILL_MD = '---\nname: zip-files\ndescription: Packs files.\n---\n# Zip\n';
let url: string;
let requests = 0;
const host = createServer((request, response) => {
  requests++;
  if (request.url?.endsWith('/SKILL.md')) response.end(SKILL_MD);
  else if (request.url === '/secret.json') response.end('{"secret": 1}');
  else response.writeHead(404).end();
});
let served: ServedRegistry;

beforeAll(async () => {
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  served = await serveRegistry({}, { discovery_private_addresses: true });
});
afterAll(async () => {
  await served.close();
  host.closeAllConnections();
  host.close();
});

const contentOf = async (fields: object, from = served) => {
  await from.registry.put(skill('/skills/zip', fields));
  return from.ask('GET', '/api/skills/zip/content');
};

describe('CL-26: skill-content of a skill with an address only', () => {
  it('is the SKILL.md at that address, raw before shown', async () => {
    const page = 'https://example.com/zip';
    for (const fields of [
      { skill_md_url: `${url}/SKILL.md` },
      { skill_md_url: page, skill_md_raw_url: `${url}/SKILL.md` },
    ]) {
      const { status, json } = await contentOf(fields);
      expect(status).toBe(200);
      parseWith(MODELS.skillContent, json, 'answer');
      expect(json).toMatchObject({ content: SKILL_MD, url: fields.skill_md_url, path: '/skills/zip' });
    }
  });

  it('is read once for many readers', async () => {
    await contentOf({ skill_md_url: `${url}/often/SKILL.md` });
    requests = 0;
    for (let times = 0; times < 5; times++) {
      expect((await served.ask('GET', '/api/skills/zip/content')).json.content).toBe(SKILL_MD);
    }
    expect(requests).toBe(0);
  });

  it('is nothing else: what is no SKILL.md is not shown', async () => {
    const other = await contentOf({ skill_md_url: `${url}/secret.json` });
    expect(other.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(other.json)).not.toContain('secret": 1');
    expect((await contentOf({ skill_md_url: `${url}/nowhere` })).json.error.code).toBe('SOURCE_UNREACHABLE');
  });

  it('is not read at a private address, unless a setting allows it', async () => {
    const strict = await serveRegistry();
    expect((await contentOf({ skill_md_url: `${url}/SKILL.md` }, strict)).status).toBe(403);
    await strict.close();
  });
});

describe('CL-27: the tools of a skill', () => {
  it('are those that it may use: registered and enabled, or missing', async () => {
    const allowed_tools = ['Bash(git:*)', 'mcp__github__get_me', 'push_files', 'off'];
    await served.registry.put(skill('/skills/git', { allowed_tools }));
    const tools = [{ name: 'get_me' }, { name: 'push_files' }];
    await served.registry.put({ type: 'mcp_server', path: '/github', name: 'github', tools });
    await served.registry.put({
      type: 'mcp_server',
      path: '/x',
      name: 'x',
      is_enabled: false,
      tools: [{ name: 'off' }],
    });
    expect((await served.ask('GET', '/api/skills/git/tools')).json).toEqual({
      all_available: false,
      available_tools: ['mcp__github__get_me', 'push_files'],
      missing_tools: ['Bash(git:*)', 'off'],
      mcp_servers_required: ['/github'],
    });
  });
});

describe('CL-28: agent-discover', () => {
  it('names the skills that match, by name, by id and by meaning', async () => {
    const skills = [
      { id: 'tr', name: 'Translate', description: 'From one language to another.' },
      { id: 'sum', name: 'Sum up', description: 'Makes a text short.' },
    ];
    await served.registry.put({ type: 'a2a_agent', path: '/words', name: 'Words', url: 'https://example.com', skills });
    const asked = async (path: string, body: object) =>
      (await served.ask('POST', path, { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }))
        .json.agents[0].matching_skills;
    expect(await asked('/api/agents/discover', { skills: ['translate'] })).toEqual(['Translate']);
    expect(await asked('/api/agents/discover', { skills: ['SUM', 'tr'] })).toEqual(['Translate', 'Sum up']);
    expect(await asked('/api/agents/discover/semantic?query=short+text', {})).toEqual(['Sum up']);
  });
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { parseSettings } from '../../src/config.ts';
import { createLogger } from '../../src/http/log/logger.ts';
import { type RunningServer, startServer } from '../../src/http/server.ts';
import type { SearchResponse } from '../../src/model/answer/result.ts';
import { openRegistry } from '../../src/open.ts';
import { openJsonl } from '../../src/sources/kinds/jsonl.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const CATALOG = fileURLToPath(new URL('../../examples/catalog/', import.meta.url));

const QUESTIONS = [
  'read a PDF file',
  'which index would make my query faster',
  'code_review',
  '#writing release notes',
  'ñandú 東京',
];
const PRESETS = ['hybrid', 'registry', 'lexical'];

describe('the same question', () => {
  let folder: string;
  const answers = new Map<string, SearchResponse>();

  const cli = async (query: string, preset: string): Promise<SearchResponse> => {
    const args = [MAIN, 'search', query, '--preset', preset, '--json', '--data', folder];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 });
    return JSON.parse(stdout) as SearchResponse;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dowser-one-ranking-'));
    const registry = await openRegistry({ data_dir: folder });
    const entities = [];
    for await (const line of (await openJsonl(join(CATALOG, 'skills.jsonl'))).lines) {
      if ('entity' in line) entities.push(line.entity);
    }
    await registry.putMany(entities, { vectors: 'later' });
    await registry.embedPending();
    for (const query of QUESTIONS) {
      for (const preset of PRESETS) answers.set(`${preset} ${query}`, await registry.search({ query, preset }));
    }
    await registry.close();
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('was answered by both legs', () => {
    expect(answers.get('hybrid read a PDF file')).toMatchObject({ search_mode: 'hybrid', warnings: [] });
    expect(answers.get('hybrid read a PDF file')?.results[0]?.path).toBe('/skills/pdf');
  });

  /** What an agent is told, as order and scores: the registry's search by MCP has the groups of REST. */
  const ranked = (skills: SearchResponse['skills']) =>
    skills.map(({ path, relevance_score, confidence }) => [path, relevance_score, confidence]);
  async function expectSameByMcp(transport: Transport): Promise<void> {
    const client = new Client({ name: 'dowser-tests', version: '1' });
    await client.connect(transport);
    try {
      for (const query of QUESTIONS) {
        const { structuredContent } = await client.callTool({ name: 'search_registry', arguments: { query } });
        const { skills } = structuredContent as SearchResponse;
        expect(ranked(skills)).toEqual(ranked(answers.get(`hybrid ${query}`)!.skills));
      }
    } finally {
      await client.close();
    }
  }

  it('gets the same order and scores over MCP by standard input and output', async () => {
    await expectSameByMcp(
      new StdioClientTransport({
        command: process.execPath,
        args: [MAIN, 'mcp', '--toolset', 'registry', '--data', folder],
        stderr: 'pipe',
      }),
    );
  });

  it('gets the same answer from the command line on its own', async () => {
    for (const query of QUESTIONS.slice(0, 2))
      expect(await cli(query, 'hybrid')).toEqual(answers.get(`hybrid ${query}`));
  });

  describe('asked of a server', () => {
    let server: RunningServer;
    beforeAll(async () => {
      const settings = parseSettings({ data_dir: folder, port: 0 });
      const registry = await openRegistry(settings);
      server = await startServer({ registry, version: '0', logger: createLogger('silent'), settings });
    });
    afterAll(() => server.close());

    it('gets the same order and scores over MCP by HTTP', async () => {
      await expectSameByMcp(new StreamableHTTPClientTransport(new URL('/mcp/registry', server.url)));
    });

    it('gets the same answer over HTTP', async () => {
      const client = createClient({ baseUrl: server.url });
      for (const [key, answer] of answers) {
        const [preset = '', ...words] = key.split(' ');
        expect(await client.search({ body: { query: words.join(' '), preset } })).toEqual(answer);
      }
    });
  });
});

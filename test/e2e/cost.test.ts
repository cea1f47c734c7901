import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CostAnswer } from '../../src/cli/cost/cost-answer.ts';
import { Sandbox, SERVERS } from './cli-process.ts';

vi.setConfig({ testTimeout: 180_000 });

const published = (name: string) =>
  join(
    dirname(createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`)),
    'dist',
    'index.js',
  );

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(() => sandbox.close());

const rounded = (tokens: number, to: number) => (Math.round(tokens / to) * to).toLocaleString('en-US');

describe('dowser cost', () => {
  it('counts the published servers of a configuration, and has the figures of README.md', async () => {
    const server = (...args: readonly string[]) => ({ command: process.execPath, args });
    const mcpServers = {
      everything: server(published('everything')),
      filesystem: server(published('filesystem'), sandbox.dir),
      memory: server(published('memory')),
    };
    const file = join(sandbox.dir, 'mcp.json');
    await writeFile(file, `// of a client\n${JSON.stringify({ mcpServers })}`);
    const { code, stdout } = await sandbox.run(['cost', file, '--json']);
    expect(code).toBe(0);
    const { clients, dowser, break_even } = JSON.parse(stdout) as CostAnswer;
    const [client] = clients;
    expect(client!.servers.map(({ path }) => path).sort()).toEqual(['/everything', '/filesystem', '/memory']);
    expect(client!.tokens).toBe(
      client!.servers.flatMap(({ tools }) => tools).reduce((sum, { tokens }) => sum + tokens, 0),
    );
    expect(break_even).toEqual([Math.floor((client!.tokens - dowser.tokens) / (dowser.answer + dowser.details))]);
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
    expect(readme).toContain(
      `The ${client!.tools} tools of three published servers cost ${rounded(client!.tokens, 100)} tokens in each conversation. ` +
        `The ${['', '', '', '', '', 'five'][dowser.tools]} tools of \`/mcp/call\` cost ${rounded(dowser.tokens, 10)}, a search ${rounded(dowser.answer, 10)}`,
    );
  });

  it('counts the registry, and says when loading everything is cheaper', async () => {
    await sandbox.run(['import', await sandbox.file('catalog.jsonl', SERVERS)]);
    const { code, stdout } = await sandbox.run(['cost', '--tools']);
    expect(code).toBe(0);
    expect(stdout).toContain('/postbox#send_mail');
    expect(stdout).toContain('registry: loading everything is cheaper.');
  });

  it('says that there is nothing to count', async () => {
    const file = await sandbox.file('skills.jsonl', SERVERS.slice(2));
    const { code, stderr } = await sandbox.run(['cost', file]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no tool to count.')]);
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sandbox } from './cli-process.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(() => sandbox.close());

/** A port that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('a node that starts without its record warns, refuses searches and logs one line for each', async () => {
  const store = `postgres://ada:secret@127.0.0.1:${await closedPort()}/dowser`;
  const { url, output, stop } = await sandbox.serve([], { DOWSER_STORE: store });
  const headers = { 'Content-Type': 'application/json' };
  const ready = await fetch(`${url}/ready`);
  const search = await fetch(`${url}/api/search/semantic`, { method: 'POST', headers, body: '{"query":"clock"}' });
  for (const answer of [ready, search]) {
    const { error } = (await answer.json()) as { error: { code: string; hint: string } };
    expect([answer.status, error.code, error.hint]).toEqual([
      503,
      'REPLICA_BEHIND',
      expect.not.stringContaining('copy'),
    ]);
  }
  await stop('SIGTERM');
  const lines = output.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ msg }) => msg.includes('cannot be reached yet'))).toMatchObject([
    {
      level: 40,
      code: 'RECORD_UNAVAILABLE',
      msg: expect.stringContaining('searches wait until it has been read once'),
    },
  ]);
  expect(lines.filter(({ msg }) => msg === 'request refused')).toMatchObject([
    { level: 40, code: 'REPLICA_BEHIND', reason: expect.stringContaining('cannot be used') },
    { level: 40, code: 'REPLICA_BEHIND', reason: 'This node has not read the shared record yet.' },
  ]);
  expect(output.stderr).not.toMatch(/"stack"|secret/);
});

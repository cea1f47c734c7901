import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Sandbox } from './cli-process.ts';

vi.setConfig({ testTimeout: 120_000 });

const server = (path: string, description: string) => ({
  type: 'mcp_server',
  path,
  name: path.slice(1),
  description,
  tools: [{ name: 'forecast', description: 'The weather forecast of a city' }],
});

let here: Sandbox;
let there: Sandbox;
beforeEach(async () => {
  [here, there] = await Promise.all([Sandbox.open(), Sandbox.open()]);
});
afterEach(() => Promise.all([here.close(), there.close()]));

it('dowser search --peers asks another process, and says where each result comes from', async () => {
  await there.run(['import', await there.file('there.jsonl', [server('/weather', 'Tells the weather')])]);
  await here.run(['import', await here.file('here.jsonl', [server('/rain', 'Tells the rain')])]);
  const { url, stop } = await there.serve();
  const peers = JSON.stringify([{ name: 'there', url, kind: 'dowser' }]);
  const env = { DOWSER_PEERS: peers, DOWSER_PEER_TIMEOUT_MS: '10000' };
  const paths = async (args: readonly string[], more: NodeJS.ProcessEnv = {}) => {
    const { stdout } = await here.run(['search', 'weather forecast', '--json', ...args], { ...env, ...more });
    return JSON.parse(stdout)
      .results.map(({ path }: { path: string }) => path)
      .sort();
  };
  expect(await paths([])).toEqual(['/rain']);
  expect(await paths(['--peers'])).toEqual(['/rain', 'peer:there/weather']);
  expect(await paths([], { DOWSER_PEER_SEARCH: 'always' })).toEqual(['/rain', 'peer:there/weather']);
  expect(await paths(['--no-peers'], { DOWSER_PEER_SEARCH: 'always' })).toEqual(['/rain']);
  const { stdout } = await here.run(['search', 'weather forecast', '--peers'], env);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`peer:there/weather at ${url}`);
  const known = await here.run(['peers', '--json'], env);
  expect(JSON.parse(known.stdout)).toEqual({ peers: [{ name: 'there', url, kind: 'dowser', state: 'unknown' }] });
  expect(await here.run(['peers', 'weather'], env)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 shown'),
  });
  await stop('SIGTERM');
  const gone = await here.run(['peers', 'weather'], env);
  expect([gone.code, gone.stdout]).toEqual([1, expect.stringContaining('cannot be reached')]);
  const answer = await here.run(['search', 'weather forecast', '--peers'], env);
  expect([answer.code, answer.stderr]).toEqual([0, expect.stringContaining("'there' could not be asked")]);
});

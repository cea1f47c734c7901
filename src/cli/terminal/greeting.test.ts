import { expect, it } from 'vitest';
import type { Health } from '../../registry/contract/registry.ts';
import { type GreetingOptions, greeting } from './greeting.ts';
import { toTerminal } from './terminal.ts';

const { style } = toTerminal({ write: () => true }, {});
const health: Health = {
  status: 'healthy',
  version: '1.2.3',
  store: { engine: 'embedded', path: '/data', bytes: 1 },
  index: { entities: 1200, units: 5, vectors: 5, missing_vectors: 0, stale_vectors: 0, by_type: {} },
  embedder: { id: 'local/small/384', state: 'ready' },
};
const greet = (embedder: Health['embedder'], missing_vectors = 0, more: Partial<GreetingOptions> = {}) =>
  greeting(
    { ...health, embedder, index: { ...health.index, missing_vectors } },
    { url: 'http://127.0.0.1:7470', program: 'dowser', ...more },
    style,
  );

it('says where the server is, what it holds and what to try', () => {
  expect(greet(health.embedder)).toBe(`Dowser 1.2.3 at http://127.0.0.1:7470
  data      /data, 1,200 entities
  embedder  local/small/384 (ready)
  agents    claude mcp add --transport http dowser http://127.0.0.1:7470/mcp

Try, in another terminal:
  dowser search "find a tool that reads PDFs" --limit 3

`);
});

it.each([
  [{ id: null, state: 'off' }, 'none: searches are by keyword'],
  [{ id: 'local/small/384', state: 'loading' }, 'local/small/384 (loading)'],
  [
    { id: 'local/small/384', state: 'down' },
    'local/small/384 is down: searches are by keyword; see why with `dowser doctor`',
  ],
] as const)('tells how searches are answered: %j', (embedder, words) => {
  expect(greet(embedder)).toContain(`\n  embedder  ${words}\n`);
});

it('counts one entity', () => {
  const one = { ...health, index: { ...health.index, entities: 1 } };
  expect(greeting(one, { url: 'http://127.0.0.1:7470', program: 'dowser' }, style)).toContain('/data, 1 entity\n');
});

it('proposes the examples where there is nothing to search', () => {
  const empty = { ...health, index: { ...health.index, entities: 0 } };
  const text = greeting(empty, { url: 'http://127.0.0.1:7470', program: 'dowser', data: '/new' }, style);
  expect(text).toContain('\nTry, in another terminal:\n  dowser examples load --data /new\n');
});

it('tells how many vectors are missing', () => {
  expect(greet(health.embedder, 1)).toContain('1,200 entities, 1 vector to come\n');
});

it.each([
  [
    { program: 'npm run -s dowser --' },
    'npm run -s dowser -- search "find a tool that reads PDFs" --limit 3',
    ', in the same folder',
  ],
  [{ data: '/data' }, 'dowser search "find a tool that reads PDFs" --limit 3 --data /data'],
  [{ data: '/my data' }, `dowser search "find a tool that reads PDFs" --limit 3 --data '/my data'`],
])('proposes a search that asks this server (%j)', (more, line, where = '') => {
  expect(greet(health.embedder, 0, more)).toContain(`\nTry, in another terminal${where}:\n  ${line}\n`);
});

it('says that other machines can only read', () => {
  expect(greet(health.embedder, 0, { network: 'read-only' })).toContain(
    '\n  network   others can only read; to let them write, set allow_remote_writes\n  agents ',
  );
});

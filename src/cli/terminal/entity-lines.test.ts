import { expect, it } from 'vitest';
import { parseEntity } from '../../model/entity.ts';
import { entityLines } from './entity-lines.ts';
import { toTerminal } from './terminal.ts';

const record = (fields: object) => ({
  entity: parseEntity({ type: 'skill', name: 'Name', description: 'What it does', ...fields }).entity,
  created_at: '',
  updated_at: '',
});
const linesOf = (columns: number, ...fields: readonly object[]) =>
  entityLines(fields.map(record), toTerminal({ write: () => true, columns }, {}));

it('marks what a search leaves out', () => {
  const lines = linesOf(80, { path: '/a' }, { path: '/b', status: 'draft' }, { path: '/c', is_enabled: false });
  expect(lines).toEqual([
    'skill:/a  Name  What it does',
    'skill:/b  draft  Name  What it does',
    'skill:/c  disabled  Name  What it does',
  ]);
});

it('cuts names and descriptions, never what one copies', () => {
  const long = `/${'x'.repeat(30)}`;
  expect(
    linesOf(30, { path: '/a' }, { path: long, name: '東京'.repeat(9) }, { path: '/c', name: 'One\nline' }),
  ).toEqual([
    'skill:/a  Name  What it does',
    `skill:${long}`,
    '          東京東京東京東京東…',
    'skill:/c  One line  What it d…',
  ]);
  for (const columns of [10, 20, 40]) {
    for (const line of linesOf(columns, { path: '/a' })) expect(line.length).toBeLessThanOrEqual(columns);
  }
});

it('shows the beginning of a memory without a name', () => {
  const path = `/${'0'.repeat(64)}`;
  const memory = { type: 'memory', path, name: '', description: '', content: 'Tea needs\n80 degrees' };
  expect(linesOf(20, memory)).toEqual([`memory:${path}`, '  Tea needs 80 degr…']);
  expect(linesOf(80, { ...memory, path: '/tea', name: 'Tea' })).toEqual(['memory:/tea  Tea  Tea needs 80 degrees']);
});

it('says nothing of nothing', () => {
  expect(linesOf(80)).toEqual([]);
});

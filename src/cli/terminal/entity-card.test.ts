import { describe, expect, it } from 'vitest';
import { type EntityInput, parseEntity } from '../../model/entity.ts';
import { entityCard } from './entity-card.ts';
import { toTerminal } from './terminal.ts';
import { textWidth } from './text-width.ts';

const at = '2026-01-02T03:04:05.000Z';
const card = (entity: EntityInput, columns = 80) =>
  entityCard(
    { entity: parseEntity(entity).entity, created_at: at, updated_at: at },
    toTerminal({ write: () => true, columns }, {}),
  );

describe('entityCard', () => {
  it('shows every field that has a value, and the tools one by one', () => {
    const tools = [{ name: 'now', description: 'The current time.' }, { name: 'zones' }];
    const metadata = { team: 'core' };
    expect(card({ type: 'mcp_server', path: '/clock', name: 'Clock', tags: ['time', 'date'], metadata, tools })).toBe(
      `Clock mcp_server:/clock
  tags        time, date
  metadata    {"team":"core"}
  status      active
  is_enabled  true
  visibility  public
  tools       2
    now  The current time.
    zones
  deployment  remote
  created_at  ${at}
  updated_at  ${at}
`,
    );
  });

  it('lists the first twenty of many parts', () => {
    const tools = Array.from({ length: 25 }, (_, i) => ({ name: `tool_${i}` }));
    const text = card({ type: 'mcp_server', path: '/many', name: 'Many', tools });
    expect(text).toContain('    tool_19\n    and 5 more\n');
    expect(text).not.toContain('tool_20');
  });

  it('says what a mapping is called where it is used', () => {
    const tool_mappings = [
      { tool_name: 'query', alias: 'ask', backend_server_path: '/db', description_override: 'Asks' },
    ];
    expect(card({ type: 'virtual_server', path: '/virtual/v', name: 'V', tool_mappings })).toContain('    ask  Asks\n');
  });

  it('manages without a name, cuts long texts, and lets none of them steer the terminal', () => {
    const content = `\u001b[2J${'長い'.repeat(100)}\nend`;
    const text = card({ type: 'memory', path: '/m', content }, 40);
    expect(text).toMatch(/^memory:\/m\n/);
    expect(text).not.toContain('\u001b');
    for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(40);
  });
});

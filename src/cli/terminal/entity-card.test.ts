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

  it('lists every part, however many', () => {
    const tools = Array.from({ length: 25 }, (_, i) => ({ name: `tool_${i}` }));
    const text = card({ type: 'mcp_server', path: '/many', name: 'Many', tools });
    for (const { name } of tools) expect(text).toContain(`\n    ${name}\n`);
  });

  it('names the backends of a virtual server, and its tools with what they stand for', () => {
    const tool_mappings = [
      { tool_name: 'query', alias: 'ask', backend_server_path: '/db', description_override: 'Asks' },
      { tool_name: 'send', backend_server_path: '/mail', backend_version: '2.0' },
      { tool_name: 'list', backend_server_path: '/db', inherited: { description: 'Lists tables' } },
    ];
    expect(card({ type: 'virtual_server', path: '/virtual/v', name: 'V', tool_mappings })).toContain(
      `  backends    /db, /mail
  tools       3
    ask (/db#query)  Asks
    send (/mail#send, version 2.0)
    list (/db#list)  Lists tables
`,
    );
  });

  it('shows a long schema whole, as JSON below its name', () => {
    const properties = { url: { type: 'string', description: `The address. ${'Any will do. '.repeat(20)}` } };
    const inputSchema = { type: 'object', properties, required: ['url'] };
    const text = card({ type: 'tool', path: '/fetch', name: 'fetch', inputSchema });
    expect(text).toContain('\n  inputSchema\n    {\n      "type": "object",\n      "properties": {\n');
    const [, json = ''] = /\n {2}inputSchema\n(.*?\n {4}\})\n/s.exec(text) ?? [];
    expect(JSON.parse(json)).toEqual(inputSchema);
  });

  it('shows a long body whole, as text below its name, with its lines and their blanks', () => {
    const body =
      '# How to pack\n\n| what  | how many |\n\tfold(shirt)\nFirst the shoes, then whatever weighs less than they do.';
    expect(card({ type: 'skill', path: '/skills/pack', name: 'pack', body }, 40)).toContain(
      `
  body
    # How to pack

    | what  | how many |
        fold(shirt)
    First the shoes, then whatever
    weighs less than they do.
`,
    );
  });

  it('has a line of its own for a name that leaves no room for the path', () => {
    const text = card({ type: 'skill', path: '/skills/accessibility-audit', name: 'accessibility-audit' }, 50);
    expect(text).toMatch(/^accessibility-audit\nskill:\/skills\/accessibility-audit\n/);
  });

  it('manages without a name, breaks long texts, and lets none of them steer the terminal', () => {
    const content = `\u001b[2J${'長い'.repeat(100)}\nend`;
    const text = card({ type: 'memory', path: '/m', content }, 40);
    expect(text).toMatch(/^memory:\/m\n/);
    expect(text).not.toContain('\u001b');
    expect(text.replaceAll(/\s/g, '')).toContain('長い'.repeat(100));
    for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(40);
  });
});

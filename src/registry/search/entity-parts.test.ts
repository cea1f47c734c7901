import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseEntity } from '../../model/entity.ts';
import { unitsOf } from '../../model/entity-types/table.ts';
import { contextText } from './entity-parts.ts';

const names = fc.array(
  fc
    .array(fc.constantFrom('a', 'b', '#', '%', '%23', '~2', '~3'), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join('')),
  { maxLength: 8 },
);

it('tells every part of a server as its unit does, also tools of one name', () => {
  fc.assert(
    fc.property(names, (tools) => {
      const { entity } = parseEntity({
        type: 'mcp_server',
        path: '/a',
        name: 'A',
        description: 'the server',
        tools: tools.map((name, i) => ({ name, description: `tool ${i}` })),
      });
      for (const unit of unitsOf(entity)) expect(contextText(entity, unit)).toBe(unit.fields.description);
    }),
  );
});

it('knows no part that the entity does not have', () => {
  const { entity } = parseEntity({ type: 'mcp_server', path: '/a', name: 'A', tools: [{ name: 'b' }] });
  for (const key of ['', 'tool:', 'tool:c', 'section:0']) {
    for (const title of ['', 'b', 'c']) expect(contextText(entity, { key, kind: 'tool', title })).toBe('');
  }
});

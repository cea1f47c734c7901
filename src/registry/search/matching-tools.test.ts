import fc from 'fast-check';
import { expect, it } from 'vitest';
import { idOf, parseEntity } from '../../model/entity.ts';
import { searchRequestSchema } from '../../model/query.ts';
import { unitsOf } from '../../model/units-of.ts';
import { planSearch } from '../../search/plan.ts';
import { matchingTools } from './matching-tools.ts';

const PLAN = planSearch(searchRequestSchema.parse({ query: 'anything' }));
const names = fc.array(fc.constantFrom('pack', 'pack~2', 'unpack', 'post'), { minLength: 1, maxLength: 6 });

it('scores each tool by its own unit, also where several have one name', () => {
  fc.assert(
    fc.property(names, fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 6, maxLength: 6 }), (tools, shares) => {
      const { entity } = parseEntity({
        type: 'mcp_server',
        path: '/a',
        name: 'A',
        tools: tools.map((name, i) => ({ name, description: `tool ${i}` })),
      });
      const id = idOf(entity);
      const units = unitsOf(entity).filter(({ kind }) => kind === 'tool');
      const found = units.flatMap(({ id: unit, kind, title, fields }, i) => {
        if (shares[i]! % 2 === 0) return [];
        const hit = { unit, entity: id, type: entity.type, kind, title, score: 1 };
        return [{ hit, share: shares[i]!, said: fields.description! }];
      });
      const matching = matchingTools(id, entity, { plan: PLAN, unitShares: new Map([[id, found]]) }, ['nothing']);
      const told = new Map(matching.map(({ tool, score }) => [tool.description, score]));
      expect(told).toEqual(new Map(found.map(({ said, share }) => [said, share])));
    }),
  );
});

import fc from 'fast-check';
import { type Operation, onOne, onTwo, operation } from './operation.ts';
import { entity } from './world.ts';

const source = { kind: 'mcp', locator: { url: 'https://one.example' } } as const;

/** What a write finds and what it answers; later operations see what it has done. */
export const writes: readonly fc.Arbitrary<Operation>[] = [
  entity.map((one) => operation('put', one, ({ registry }) => registry.put(one), `${one.type}:${one.path}`)),
  fc
    .tuple(entity, fc.boolean())
    .map(([one, overwrite]) =>
      operation(
        'register',
        [one, overwrite],
        ({ registry }) => registry.register(one, { overwrite }),
        `${one.type}:${one.path}`,
      ),
    ),
  entity.map((one) =>
    operation(
      'observe',
      one,
      ({ registry }) => registry.observe({ source, entities: [{ part: 'mine', entity: { ...one } }] }),
      `${one.type}:${one.path}`,
    ),
  ),
  onOne('patch', ({ registry }, { type, path }) => registry.patch(type, path, { description: 'merger of rivers' })),
  onOne('delete', ({ registry }, { type, path }) => registry.delete(type, path)),
  onOne('rate', ({ registry }, { type, path }) => registry.rate(type, path, { rating: 3, user: 'eve' })),
  onOne('acceptDrift', ({ registry }, { type, path }) => registry.acceptDrift(type, path)),
  onTwo('putEdges', ({ registry }, a, b) =>
    registry.putEdges({ edges: [{ source: a.id, target: b.id, type: 'REQUIRES' }] }),
  ),
  onTwo('reportOutcome', ({ registry }, a, b) =>
    registry.reportOutcome({ chosen_tool: a.id, outcome: 'success', used_with: [b.id] }),
  ),
];

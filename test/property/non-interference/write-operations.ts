import fc from 'fast-check';
import { entityUrl, type Operation, onOne, onTwo, operation, toolPath } from './operation.ts';
import { entity } from './world.ts';
import { phrase } from './world-words.ts';

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
  fc
    .tuple(entity, fc.constantFrom('none', 'if-match', 'if-none-match'))
    .map(([one, condition]) =>
      operation(
        `PUT, ${condition}`,
        one,
        ({ http }) => http('PUT', entityUrl(one), one, condition === 'none' ? {} : { [condition]: '*' }),
        `${one.type}:${one.path}`,
      ),
    ),
  // A slash at the end is another spelling of the same path.
  entity.map((one) =>
    operation(
      'put /',
      one,
      ({ registry }) => registry.put({ ...one, path: `${one.path}/` }),
      `${one.type}:${one.path}`,
    ),
  ),
  fc.array(entity, { minLength: 2, maxLength: 3 }).map((some) =>
    // The last one is never accepted: nothing of the others may be learned from it.
    operation('putMany', some, ({ registry }) => registry.putMany([...some, { ...some[0], path: '/new', tags: 1 }])),
  ),
  toolPath.map((where) =>
    operation(
      'put tool',
      where,
      ({ registry }) => registry.put({ type: 'tool', path: where, name: 'x', description: 'x' }),
      `tool:${where}`,
    ),
  ),
  onOne('addVersion', ({ registry }, { path }) =>
    registry.addVersion({ type: 'mcp_server', path, name: 'x', description: 'x', version: '4.0.0' }),
  ),
  onOne('removeVersion', ({ registry }, { path }) => registry.removeVersion(path, '2.0.0')),
  onOne('setDefaultVersion', ({ registry }, { path }) => registry.setDefaultVersion(path, '3.0.0')),
  phrase(5).map((content) =>
    operation('memories.store', content, async ({ memories, caller }) =>
      // It would be public: a writer who cannot read that does not exist.
      caller.readers?.includes('public') === true ? memories.store({ content }) : null,
    ),
  ),
  onOne('memories.forget', ({ memories, hashAt }, { path }) => memories.forget({ content_hash: hashAt(path.length) })),
  onOne('patch', ({ registry }, { type, path }) => registry.patch(type, path, { description: 'merger of rivers' })),
  onOne('delete', ({ registry }, { type, path }) => registry.delete(type, path)),
  onOne('rate', ({ registry }, { type, path }) => registry.rate(type, path, { rating: 3, user: 'eve' })),
  onOne('review', ({ registry }, { type, path }) => registry.review(type, path, { decision: 'blocked' })),
  onOne('acceptDrift', ({ registry }, { type, path }) => registry.acceptDrift(type, path)),
  onTwo('putEdges', ({ registry }, a, b) =>
    registry.putEdges({ edges: [{ source: a.id, target: b.id, type: 'REQUIRES' }] }),
  ),
  onTwo('reportOutcome', ({ registry }, a, b) =>
    registry.reportOutcome({ chosen_tool: a.id, outcome: 'success', used_with: [b.id] }),
  ),
];

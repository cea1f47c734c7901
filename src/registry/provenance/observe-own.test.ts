import { beforeEach, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { clock, of, SOURCE } from '../../../test/support/observed-clock.ts';
import { callerOf } from '../../model/caller.ts';
import { toDowserError } from '../../model/errors.ts';
import type { LocalRegistry, ScopedRegistry } from '../registry.ts';
import type { ObservationInput } from './observation.ts';

let registry: LocalRegistry;
let ada: ScopedRegistry;
let touched: string[];
beforeEach(async () => {
  registry = await memoryRegistry();
  touched = [];
  const onWrite = (ids: readonly string[]) => touched.push(...ids);
  ada = registry.as(callerOf({ name: 'ada', groups: ['payments'], scopes: ['write'] }), { onWrite });
});

const ben = () => registry.as(callerOf({ name: 'ben', groups: [], scopes: ['write'] }));
const states = async (by: ScopedRegistry, observation: ObservationInput) =>
  (await by.observe(observation)).map(({ state, code, notes }) =>
    [state, code ?? '', ...notes].filter((text) => text !== ''),
  );
const stored = async () => (await registry.get('mcp_server', '/clock')).entity;

it('lets a writer add its own, read it again, and find what changed', async () => {
  expect(await states(ada, of(clock()))).toEqual([['added']]);
  expect(await stored()).toMatchObject({ owner: 'ada' });
  expect(touched).toEqual(['mcp_server:/clock']);
  expect(await registry.sources()).toMatchObject([{ ...SOURCE, entities: [{ path: '/clock' }] }]);
  expect(await states(ada, of(clock()))).toEqual([['unchanged']]);
  const [observed] = await ada.observe(of(clock({ tools: [{ name: 'now', description: 'Another time.' }] })));
  expect(observed).toMatchObject({ state: 'updated', drift: expect.anything() });
  expect(await stored()).toMatchObject({ owner: 'ada', tools: [{ description: 'Another time.' }] });
});

it('refuses what belongs to others, each by itself', async () => {
  await ada.observe(of(clock()));
  const before = await stored();
  const changed = clock({ description: 'Mine now.' });
  const theirs = await states(ben(), of(changed, { take_over: true }));
  expect(theirs).toEqual([['refused', 'FORBIDDEN', 'You may read mcp_server:/clock, but not change it.']]);
  const two = of(changed, {
    entities: [
      { part: '', entity: changed },
      { part: 'b', entity: clock({ path: '/bell' }) },
    ],
  });
  expect((await states(ben(), two)).map(([state]) => state)).toEqual(['refused', 'added']);
  expect(await stored()).toEqual(before);
});

it('neither marks as dead nor deletes what belongs to others', async () => {
  await ada.observe(of(clock()));
  const gone = { type: 'mcp_server', path: '/clock' } as const;
  const missing = of({}, { entities: [], missing: [{ ...gone, error: 'No answer.' }] });
  const withdrawn = of({}, { entities: [], withdrawn: [gone] });
  expect(await states(ben(), missing)).toEqual([['kept', 'It belongs to another.']]);
  expect(await states(ben(), withdrawn)).toEqual([]);
  expect(await registry.sources()).toMatchObject([{ entities: [{ liveness: { state: 'alive' } }] }]);
  expect(await states(ada, missing)).toEqual([['dead', 'No answer.']]);
  expect(await registry.sources()).toMatchObject([{ entities: [{ liveness: { state: 'dead' } }] }]);
  expect(await states(ada, withdrawn)).toEqual([['deleted']]);
  expect(await registry.sources()).toEqual([]);
});

it('says of a hidden entity only that its path is taken, and not in a dry run, which the audit log does not have', async () => {
  await registry.put({ ...clock(), visibility: 'private', owner: 'root', tools: [{ name: 'hidden' }] });
  expect(await states(ada, of(clock(), { take_over: true }))).toEqual([
    ['refused', 'ALREADY_EXISTS', "There is already a mcp_server at '/clock'."],
  ]);
  expect(await states(ada, of(clock(), { dry_run: true }))).toEqual([['added']]);
  expect(await stored()).toMatchObject({ owner: 'root' });
});

it('stores nothing in a dry run, and nothing for a reader', async () => {
  expect(await states(ada, of(clock(), { dry_run: true }))).toEqual([['added']]);
  const reader = registry.as(callerOf({ name: 'cem', groups: [], scopes: ['read'] }));
  const refused = await reader.observe(of(clock())).catch(toDowserError);
  expect(refused).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
  expect((await registry.page()).entities).toEqual([]);
});

it('takes no versions from a writer: they would be written without the checks of an entity', async () => {
  const observation = of(clock());
  const entities = observation.entities!.map((given) => ({ ...given, versions: [clock({ version: '2' })] }));
  const refused = await ada.observe({ ...observation, entities }).catch(toDowserError);
  expect(refused).toMatchObject({ code: 'FORBIDDEN', field: 'versions' });
  expect((await registry.page()).entities).toEqual([]);
});

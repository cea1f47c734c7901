import { expect, it } from 'vitest';
import { indexed, TOY_EMBEDDER, temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { queryOf } from '../../../test/support/retrieve.ts';
import { openEmbedded } from '../../engines/embedded/open-embedded.ts';
import { type EntityId, entityId } from '../../model/entity.ts';
import { scoreUnits } from '../../search/ranking/score-units.ts';
import { withSuccessors } from './with-successors.ts';

const memory = (path: string, content: string, more = {}) =>
  indexed({ type: 'memory', path, name: path.slice(1), content, ...more });

it('keeps a successor apart from what was deleted while the search waited, also in its row', async () => {
  const folder = temporaryFolder();
  const engine = await openEmbedded({ dir: folder.path, embedder: TOY_EMBEDDER });
  try {
    const superseded = { by: '/next', at: '2024-01-01T00:00:00.000Z', previous_status: 'active' };
    await engine.store.put([
      memory('/old', 'kettle of copper', { status: 'deprecated', superseded }),
      memory('/gone', 'kettle of tin'),
    ]);
    const found = await engine.index.retrieve(queryOf({ text: 'kettle' }));
    const getMany = async (ids: readonly EntityId[]) => {
      await engine.store.delete([entityId('memory', '/gone')]);
      await engine.store.put([memory('/next', 'kettle of steel')]);
      return engine.store.getMany(ids);
    };
    const askOnly = (entities: readonly EntityId[]) =>
      engine.index.retrieve(queryOf({ text: 'kettle', filter: { entities } }));
    const { retrieved } = await withSuccessors({ store: { getMany }, askOnly }, {}, found);
    const results = scoreUnits({ toolsAsResults: false, cards: false }, retrieved);
    expect(results.map(({ units }) => units[0]!.found.entity)).toEqual(['memory:/gone', 'memory:/old', 'memory:/next']);
  } finally {
    await engine.close();
    folder.remove();
  }
});

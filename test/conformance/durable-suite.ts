import { describe, expect, it } from 'vitest';
import { indexed, server, TOY_EMBEDDER, toyVector } from '../support/engine-fixtures.ts';
import { liveALittle, portrait } from '../support/engine-life.ts';
import { retrieveVector } from '../support/retrieve.ts';
import { type EngineUnderTest, useEngine } from './engine-under-test.ts';

/** What is kept when an engine is closed and opened again. */
export function durableSuite(subject: EngineUnderTest): void {
  describe('opened again', () => {
    const bench = useEngine(subject);

    it('answers exactly as before', async () => {
      await liveALittle(bench.engine, 0, 60);
      const before = await portrait(bench.engine);
      expect(await portrait(await bench.reopen())).toEqual(before);
      expect(await portrait(await bench.reopen())).toEqual(before);
    });

    it('goes on as an engine that was never closed', async () => {
      const other = await bench.another(TOY_EMBEDDER);
      for (const [from, to] of [
        [0, 40],
        [20, 60],
        [10, 90],
      ] as const) {
        await liveALittle(await bench.reopen(), from, to);
        await liveALittle(other, from, to);
      }
      const withoutTimes = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(/20\d\d-[^"]*Z/g, ''));
      expect(withoutTimes(await portrait(await bench.reopen()))).toEqual(withoutTimes(await portrait(other)));
    });

    it('drops the vectors of every embedder with the text they were made from', async () => {
      await bench.engine.store.put([indexed(server('/a', 'before'))]);
      const other = await bench.reopen({ id: 'test/other/16', dimensions: 16 });
      await other.store.put([indexed(server('/a', 'after'), { vectors: false })]);
      const first = await bench.reopen();
      expect((await first.vectors.missing(10)).map(({ unit }) => unit)).toEqual(['mcp_server:/a#card']);
      expect(await retrieveVector(first.index, { vector: toyVector('before') })).toEqual([]);
    });
  });
}

import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { indexed, server } from '../../support/engine-fixtures.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { newSchema, usePostgres } from '../../support/postgres.ts';
import { retrieveText } from '../../support/retrieve.ts';
import { allCaughtUp, openNode } from '../../support/shared-nodes.ts';

const postgres = await usePostgres();
afterAll(() => postgres?.remove());

const ENTITIES = 90;
const WORDS = ['harbor', 'lamp', 'gate', 'river', 'stone', 'cloud'];

if (postgres === null) {
  failInCi('a PostgreSQL');
} else {
  describe('a batch that was written on another node', () => {
    it('is seen whole or not at all, by searches and reads', async () => {
      const url = await newSchema(postgres);
      const [writer, reader] = [await openNode(url), await openNode(url)];
      const batch = (word: string) => Array.from({ length: ENTITIES }, (_, n) => indexed(server(`/s${n}`, word)));
      await writer.store.put(batch(WORDS[0]!));
      await allCaughtUp(writer, reader);
      const halves: string[] = [];
      let isDone = false;
      const reading = (async () => {
        while (!isDone) {
          for (const text of WORDS) {
            const found = (await retrieveText(reader.index, { text, limit: 2 * ENTITIES })).length;
            if (found !== 0 && found !== ENTITIES) halves.push(`${found} with ${text}`);
          }
          const { entities } = await reader.store.scan({ limit: ENTITIES });
          const texts = new Set(entities.map(({ entity }) => entity.description));
          if (texts.size !== 1) halves.push(`texts of ${[...texts].join(' and ')}`);
          await setImmediate();
        }
      })();
      for (const word of WORDS.slice(1)) {
        await writer.store.put(batch(word));
        await allCaughtUp(writer, reader);
      }
      isDone = true;
      await reading;
      expect(halves).toEqual([]);
    });
  });
}

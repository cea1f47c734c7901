import { afterAll, expect, it } from 'vitest';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { settledEngine, useQdrant, vectorsIn } from '../support/qdrant.ts';
import { engineSuite } from './engine-suite.ts';
import type { OpenOptions } from './engine-under-test.ts';

const server = await useQdrant();
afterAll(() => server?.remove());

if (server === null) {
  it('has a Qdrant to test with, where CI runs', () => {
    expect(process.env.CI ?? '').toBe('');
  });
} else {
  engineSuite({
    name: 'embedded, with vectors that Qdrant has,',
    isDurable: true,
    async open(options: OpenOptions) {
      const vectorServer = vectorsIn(server);
      const engine = await openEmbedded({ ...options, vectorServer });
      await vectorServer.settled();
      return settledEngine(engine, vectorServer);
    },
  });
}

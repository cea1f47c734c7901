import { describe } from 'vitest';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { durableSuite } from './durable-suite.ts';
import { engineSuite } from './engine-suite.ts';
import type { EngineUnderTest, OpenOptions } from './engine-under-test.ts';
import { durableSpaceSuite } from './space-suite.ts';

engineSuite({
  name: 'memory',
  isDurable: false,
  open: async ({ embedder, now }) => new MemoryEngine({ embedder, now }),
});

const embedded: EngineUnderTest = {
  name: 'embedded',
  isDurable: true,
  open: openEmbedded,
};

engineSuite(embedded);

describe('the embedded engine with a snapshot at every close', () => {
  const subject = { ...embedded, open: (options: OpenOptions) => openEmbedded({ ...options, snapshotAfterUnits: 0 }) };
  durableSuite(subject);
  durableSpaceSuite(subject);
});

import { expect, it, vi } from 'vitest';
import { CheckpointThread } from './checkpoint-thread.ts';

vi.mock('node:worker_threads', () => ({
  Worker: class {
    constructor() {
      throw new Error('no thread can be started');
    }
  },
}));

it('fails no write if no thread can be started', async () => {
  const thread = new CheckpointThread('a.sqlite');
  await expect(thread.run()).resolves.toBeUndefined();
  // Does not wait for it.
  thread.finish();
  thread.close();
});

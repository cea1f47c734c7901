import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/surface/memory-registry.ts';
import { DowserError } from '../../model/errors.ts';
import type { EmbedPendingOptions, Health } from '../../registry/registry.ts';
import { embedMissing } from './missing-vectors.ts';

const gone = new DowserError('SERVER_UNREACHABLE', 'No server answers.', { hint: 'Start it.' });

async function failsAfter(done: number, missing: number | null, error = gone) {
  const { health } = await memoryRegistry();
  const { index, ...rest } = await health();
  return {
    async embedPending({ onProgress }: EmbedPendingOptions = {}): Promise<never> {
      if (done > 0) onProgress?.({ done, total: 10 });
      throw error;
    },
    async health(): Promise<Health> {
      if (missing === null) throw gone;
      return { ...rest, index: { ...index, missing_vectors: missing } };
    },
  };
}

describe('embedMissing', () => {
  it('counts what was embedded before it failed, and says why the rest waits', async () => {
    const seen: number[] = [];
    const vectors = await embedMissing(await failsAfter(4, 6), { onProgress: ({ done }) => seen.push(done) });
    expect(vectors).toEqual({ embedded: 4, remaining: 6, problem: 'No server answers. Start it.' });
    expect(seen).toEqual([4]);
  });

  it('keeps hints for those who use the library to itself', async () => {
    const refused = new DowserError('INVALID_REQUEST', 'No.');
    expect(await embedMissing(await failsAfter(0, 6, refused), {})).toMatchObject({ problem: 'No.' });
  });

  it('does not know what remains when the server itself is gone', async () => {
    expect(await embedMissing(await failsAfter(4, null), {})).toMatchObject({ embedded: 4, remaining: null });
    expect(await embedMissing(await failsAfter(0, null), {})).toMatchObject({ embedded: 0, remaining: null });
  });

  it('has no problem to report when all went well', async () => {
    const backend = await memoryRegistry({ embedPending: async () => ({ embedded: 3, remaining: 0 }) });
    expect(await embedMissing(backend, {})).toEqual({ embedded: 3, remaining: 0, problem: null });
  });
});

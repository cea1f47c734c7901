import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { EmbedPendingOptions, Health } from '../../registry/contract/registry.ts';
import { toTerminal } from '../terminal/terminal.ts';
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

type Asked = Parameters<typeof embedMissing>[2];

/** Embeds with a terminal that shows every step; gives the result and what was shown. */
async function embed(backend: Asked, options = {}, embeddings_provider: 'local' | 'off' = 'local') {
  let shown = '';
  const err = toTerminal({ isTTY: true, write: (text: string) => (shown += text) }, {});
  const { signal } = new AbortController();
  const run = { name: 'import' as const, out: err, err, env: {}, signal, args: [], options };
  return { vectors: await embedMissing(run, { embeddings_provider }, backend), shown };
}

describe('embedMissing', () => {
  it('counts what was embedded before it failed, and says why the rest waits', async () => {
    const { vectors, shown } = await embed(await failsAfter(4, 6));
    expect(vectors).toEqual({ embedded: 4, remaining: 6, problem: 'No server answers. Start it.' });
    expect(shown).toContain('4 texts');
  });

  it('leaves out the hints for users of the library', async () => {
    const refused = new DowserError('INVALID_REQUEST', 'No.');
    expect(await embed(await failsAfter(0, 6, refused))).toMatchObject({ vectors: { problem: 'No.' } });
  });

  it('does not know what remains when the server itself is gone', async () => {
    expect((await embed(await failsAfter(4, null))).vectors).toMatchObject({ embedded: 4, remaining: null });
    expect((await embed(await failsAfter(0, null))).vectors).toMatchObject({ embedded: 0, remaining: null });
  });

  it('has no problem to report when all went well', async () => {
    const backend = await memoryRegistry({ embedPending: async () => ({ embedded: 3, remaining: 0 }) });
    expect((await embed(backend)).vectors).toEqual({ embedded: 3, remaining: 0, problem: null });
  });

  it('embeds nothing with --lexical, nor without an embedder', async () => {
    const backend = await memoryRegistry({ embedPending: async () => ({ embedded: 3, remaining: 0 }) });
    expect((await embed(backend, { lexical: true })).vectors).toBeNull();
    expect((await embed(backend, {}, 'off')).vectors).toBeNull();
  });
});

import { expect, it, onTestFinished } from 'vitest';
import { Refusal, startFakeRerankServer } from '../../../test/support/fake-rerank-server.ts';
import { parseSettings } from '../../config.ts';
import { openEmbedderFor } from '../../open.ts';
import { openServedRegistry } from './serve-folder.ts';

it('logs why the reranker fails, once, and without its key', async () => {
  const endpoint = await startFakeRerankServer();
  onTestFinished(() => endpoint.close());
  endpoint.answer = () => new Refusal(401, '{"message":"bad key secret"}');
  const settings = parseSettings({
    engine: 'memory',
    embeddings_provider: 'off',
    rerank: 'always',
    rerank_api_base: endpoint.base,
    rerank_api_key: 'secret',
    rerank_timeout_ms: 20_000,
  });
  const lines: unknown[] = [];
  const log = (facts: object, message: string) => void lines.push({ ...facts, message });
  const logger = { info: log, warn: log, error: log };
  const registry = await openServedRegistry({ settings, logger, version: '0' }, await openEmbedderFor(settings));
  onTestFinished(() => registry.close());
  for (const name of ['host_alarms', 'host_pause']) {
    await registry.put({ type: 'tool', path: `/${name}`, name, description: 'Of a quiet host' });
  }
  for (let n = 0; n < 5; n++) await registry.search({ query: 'quiet host' });
  expect(lines).toEqual([
    expect.objectContaining({
      reason: `The rerank endpoint ${endpoint.base}/rerank answers 401: bad key ***.`,
      message: 'the reranker failed: searches go on without it',
    }),
  ]);
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadSettings } from '../../../src/config.ts';
import { temporaryFolder } from '../../support/engine-fixtures.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { openedEmbedder } from '../../support/opened-embedder.ts';
import { qdrantAddress, useQdrant } from '../../support/qdrant.ts';
import { serveRegistry } from '../../support/served-registry.ts';
import { WordEmbedder } from '../../support/word-embedder.ts';

const KEY = 'hunter2-the-right-key';
const WRONG = 'swordfish-the-wrong-key';
const qdrant = await useQdrant({ apiKey: KEY });
afterAll(() => qdrant?.remove());

/** A server whose vectors are in Qdrant, as a user runs it. */
async function serve(vectors: string, key: string | undefined) {
  const folder = temporaryFolder();
  const settings = {
    engine: 'embedded',
    data_dir: folder.path,
    vectors,
    ...(key === undefined ? {} : { vectors_api_key: key }),
  };
  const embedder = openedEmbedder(new WordEmbedder([['tea', 'kettle']]));
  const served = await serveRegistry({ embedder }, settings);
  onTestFinished(async () => {
    await served.close();
    folder.remove();
  });
  const put = (path: string, description: string) =>
    served.send('POST', '/api/entities', { type: 'mcp_server', path, name: path.slice(1), description });
  const search = async (query: string) =>
    (await served.send('POST', '/api/search/semantic', { query, max_results: 1 })).json;
  const health = async () => (await served.ask('GET', '/api/health')).json;
  const settled = () => expect.poll(async () => (await health()).vector_server).toEqual({ state: 'ready', pending: 0 });
  return { ...served, put, search, health, settled };
}

if (qdrant === null) {
  failInCi('a Qdrant');
} else {
  describe('a server with vectors in Qdrant', () => {
    it('answers by keyword while Qdrant is down, says so, and finds by meaning again afterwards', async () => {
      const { put, search, health, settled, ask } = await serve(qdrantAddress(qdrant), KEY);
      await put('/kettle', 'a kettle of copper');
      await put('/garden', 'plants of a garden');
      await settled();
      expect((await ask('GET', '/ready')).status).toBe(200);
      const whole = await search('tea');
      expect(whole).toMatchObject({ search_mode: 'hybrid', warnings: [], results: [{ path: '/kettle' }] });

      await qdrant.kill();
      try {
        const byKeyword = await search('garden');
        expect(byKeyword).toMatchObject({ search_mode: 'lexical-only', results: [{ path: '/garden' }] });
        expect(byKeyword.warnings.join()).toMatch(/vector server.*VECTORS_UNAVAILABLE.*by keyword only/);
        expect((await search('tea')).results).toEqual([]);
        await expect.poll(async () => (await health()).vector_server.state).toBe('down');
        expect(await health()).toMatchObject({
          status: 'degraded',
          vector_server: { error: { code: 'VECTORS_UNAVAILABLE', hint: expect.stringContaining('by itself') } },
        });
        // It is lost to every node: asking another one would not help.
        expect((await ask('GET', '/ready')).status).toBe(200);
        expect((await put('/pot', 'a pot for soup')).status).toBeLessThan(300);
      } finally {
        await qdrant.start();
      }
      await settled();
      expect(await search('tea')).toMatchObject({ search_mode: 'hybrid', results: [{ path: '/kettle' }] });
      expect(await health()).toMatchObject({ status: 'healthy' });
    });

    it('is not ready with the wrong key, says what to check, and shows no key', async () => {
      const { health, ask, search, put } = await serve(qdrantAddress(qdrant), WRONG);
      await put('/kettle', 'a kettle of copper');
      await expect.poll(async () => (await health()).vector_server.state).toBe('down');
      const ready = await ask('GET', '/ready');
      expect([ready.status, ready.error]).toMatchObject([
        503,
        { code: 'VECTORS_UNAVAILABLE', hint: expect.stringContaining('vectors_api_key') },
      ]);
      expect((await search('copper')).results).toMatchObject([{ path: '/kettle' }]);
      expect(JSON.stringify([await health(), ready.json, await search('tea')])).not.toMatch(/swordfish|hunter2/);
    });

    it('starts while Qdrant is down, is not ready, and needs no restart', async () => {
      await qdrant.kill();
      let served: Awaited<ReturnType<typeof serve>>;
      try {
        served = await serve(qdrantAddress(qdrant), KEY);
        await served.put('/kettle', 'a kettle of copper');
        await expect.poll(async () => (await served.ask('GET', '/ready')).status).toBe(503);
        expect((await served.search('copper')).results).toMatchObject([{ path: '/kettle' }]);
      } finally {
        await qdrant.start();
      }
      await served.settled();
      expect((await served.ask('GET', '/ready')).status).toBe(200);
      expect(await served.search('tea')).toMatchObject({ search_mode: 'hybrid', results: [{ path: '/kettle' }] });
    });

    it('refuses a Qdrant that is too old', async () => {
      const old = createServer((_, response) => response.end(JSON.stringify({ version: '1.9.7' })));
      await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => {
        old.closeAllConnections();
        old.close();
      });
      const { ask } = await serve(`qdrant://127.0.0.1:${(old.address() as AddressInfo).port}`, undefined);
      await expect
        .poll(async () => (await ask('GET', '/ready')).error?.message)
        .toMatch(/has version 1\.9\.7, below 1\.12/);
    });

    it('refuses an address with a key in it without repeating it', () => {
      const folder = temporaryFolder();
      onTestFinished(() => folder.remove());
      const env = { DOWSER_VECTORS: 'qdrant://hunter2@127.0.0.1:6333', DOWSER_DATA: folder.path };
      let error: unknown;
      try {
        loadSettings({ env });
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toMatchObject({ code: 'INVALID_SETTING', message: expect.stringContaining('vectors') });
      expect(`${(error as Error).message} ${JSON.stringify(error)}`).not.toContain('hunter2');
    });
  });
}

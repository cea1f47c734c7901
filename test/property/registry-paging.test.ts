import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStandardHandlers } from '../../src/http/standards/standard-handlers.ts';
import { LOCAL_NAMESPACE, officialName } from '../../src/standards/official/official-name.ts';
import { memoryRegistry } from '../support/memory-registry.ts';

const server = (path: string) => ({ type: 'mcp_server', path, name: path, description: 'x' });
const request = { origin: 'http://localhost', a2aVersion: undefined };

const path = fc.oneof(
  fc.stringMatching(/^\/[a-d]{1,2}$/),
  fc.stringMatching(/^[a-d]{1,2}$/),
  fc.stringMatching(/^\/[a-b]\.[a-b]\/[a-d]$/),
  fc.stringMatching(/^\/[äß天]{1,2}$/),
);
/** What happens between two pages. */
const change = fc.record({ add: fc.array(path, { maxLength: 3 }), remove: fc.array(path, { maxLength: 2 }) });

describe('paging through the official registry’s list', () => {
  it('visits each server once, in order, whatever is added and removed in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(path, { maxLength: 15 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(change, { maxLength: 12 }),
        async (start, limit, changes) => {
          const registry = await memoryRegistry();
          const handlers = createStandardHandlers({ registry, version: '0', publicUrl: undefined });
          const present = new Set(start);
          if (start.length > 0) await registry.putMany(start.map(server));
          const untouched = new Set(start);
          const seen: string[] = [];
          let cursor: string | undefined;
          let at = 0;
          do {
            const query = { limit, ...(cursor === undefined ? {} : { cursor }) };
            const { body } = await handlers.listServers({ query }, request);
            const now = new Set([...present].map((one) => officialName(one, LOCAL_NAMESPACE)));
            for (const item of body.servers) {
              expect(now.has(item.server.name)).toBe(true);
              seen.push(item.server.name);
            }
            cursor = body.metadata.nextCursor;
            // A cursor that does not move on would go round for ever.
            expect(at).toBeLessThan(100);
            const { add = [], remove = [] } = changes[at++] ?? {};
            for (const one of add) {
              await registry.put(server(one));
              present.add(one);
            }
            for (const one of remove) {
              if (!present.delete(one)) continue;
              await registry.delete('mcp_server', one);
              untouched.delete(one);
            }
          } while (cursor !== undefined);
          expect(seen).toEqual([...new Set(seen)].sort());
          for (const one of untouched) expect(seen).toContain(officialName(one, LOCAL_NAMESPACE));
          await registry.close();
        },
      ),
      { numRuns: 150 },
    );
  });
});

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DowserError } from '../src/model/errors/errors.ts';
import { openRegistry } from '../src/open.ts';
import { addServer } from '../test/support/called-registry.ts';

/**
 * A server that takes long to start, with the settings as they are by default: when calls are told that it is starting, when one
 * is answered, and how often it was started. By hand:
 *
 *   npx tsx bench/call-start.ts [seconds]
 *
 * Starts a fake of a server, and ends it.
 */
const [seconds = 90] = process.argv.slice(2).map(Number);
const FIXTURE = fileURLToPath(new URL('../test/support/call-fixture.mjs', import.meta.url));
const CALLERS = 8;

const dir = mkdtempSync(join(tmpdir(), 'dowser-bench-start-'));
const log = join(dir, 'slow');
const registry = await openRegistry({ engine: 'memory', data_dir: dir, embeddings_provider: 'off', call: 'read' });
const spec = { command: process.execPath, args: [FIXTURE, log], name: 'slow' };
await addServer(registry, dir, spec, { ...spec, env: { FIXTURE_START_MS: String(seconds * 1000) } });
rmSync(log);

const began = performance.now();
const since = () => (performance.now() - began) / 1000;
const told: Record<string, number[]> = {};
const answered: number[] = [];
await Promise.all(
  Array.from({ length: CALLERS }, async (_, at) => {
    for (;;) {
      try {
        await registry.call({ path: '/slow#echo', arguments: { text: `${at}` } });
        return answered.push(since());
      } catch (thrown) {
        const { code, details } = thrown as DowserError;
        told[code] = [...(told[code] ?? []), since()];
        if (details?.retryable !== true) throw thrown;
        await sleep((details.retry_after ?? 1) * 1000);
      }
    }
  }),
);
const range = (times: readonly number[]) => `${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)} s`;
for (const [code, times] of Object.entries(told)) console.log(`${times.length} calls: ${code} after ${range(times)}`);
console.log(`${answered.length} of ${CALLERS} callers answered after ${range(answered)}`);
const starts = existsSync(log) ? readFileSync(log, 'utf8').match(/^start /gm) : null;
console.log(`${starts?.length ?? 0} start of a server that takes ${seconds} s`);
await registry.close();
rmSync(dir, { recursive: true, force: true });

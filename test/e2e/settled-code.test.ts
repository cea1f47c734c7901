import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/engine-fixtures.ts';

const SEARCHER = fileURLToPath(new URL('../support/search-many.mjs', import.meta.url));
const BEFORE = 2000;
const AFTER = 2500;

/**
 * Lists that are made by `map` and objects that are made by spreading come in other kinds once V8 has compiled what makes
 * them, and then everything that reads them is compiled again. With a few of those in the pipeline it goes on for
 * thousands of searches (some forty times here), each of which takes up to twice as long. The first question of the rarest kind
 * makes V8 compile some twenty functions again too, once. It comes early here: with other questions, it came after 1,000 to 3,000.
 */
const MAX_THROWN_AWAY = 22;

it('keeps the code that V8 has compiled for searches', async () => {
  const folder = temporaryFolder();
  try {
    const args = ['--trace-deopt', SEARCHER, folder.path, String(BEFORE), String(AFTER)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 });
    const settled = stdout.slice(stdout.indexOf('SETTLED'), stdout.indexOf('SEARCHED'));
    const thrownAway = settled.split('\n').filter((line) => line.includes('kind: deopt-eager'));
    expect(thrownAway.length, thrownAway.join('\n')).toBeLessThanOrEqual(MAX_THROWN_AWAY);
    // Without this the marks could be missing, and nothing counted.
    expect(stdout).toContain('kind: deopt-eager');
    expect(settled.length).toBeGreaterThan(0);
  } finally {
    folder.remove();
  }
}, 120_000);

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { page } from './page.ts';

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

/** What each program of the page prints, in their order. */
const PRINTED = [
  /^\/clock 0\.\d+$/,
  /^hybrid$/,
  /^updated$/,
  /^Three years \[1\]\. \S*kettle\.md$/,
  /^The staging database is called heron\.$/,
  /^INVALID_REQUEST \S+ \S/,
];

describe('docs/library.md', () => {
  it('has programs that run as they stand', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'dowser-library-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    await mkdir(join(dir, 'node_modules'));
    await symlink(PACKAGE, join(dir, 'node_modules/dowser'));
    const programs = [...page('library.md').matchAll(/^```js\n(.*?)^```$/gms)].map(([, text]) => text!);
    const printed: string[] = [];
    for (const [n, text] of programs.entries()) {
      const file = join(dir, `program${n}.mjs`);
      await writeFile(file, text);
      const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: dir });
      printed.push(stdout.trim());
    }
    expect(printed).toEqual(PRINTED.map((text) => expect.stringMatching(text)));
  }, 120_000);
});

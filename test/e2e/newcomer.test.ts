import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeBundle } from '../../scripts/bundle.mjs';
import { ZipArchive } from '../../src/documents/read/formats/zip-archive.ts';
import { ensureLocalFiles } from '../../src/embedders/onnx/local-files.ts';
import { Newcomer, ROOT, searchModeOf } from '../support/newcomer.ts';
import { pdfFile } from '../support/pdf-file.ts';

/** What a stranger does in the first hour, with the commands of README.md. */
const README = join(ROOT, 'README.md');
const readme = readFileSync(README, 'utf8');

/** Installing and building take minutes on a busy machine. */
const LONG_MS = 10 * 60_000;

let newcomer: Newcomer;
beforeAll(() => {
  newcomer = new Newcomer();
});
afterAll(() => newcomer.close(), LONG_MS);

describe('a fresh clone', () => {
  let clone: string;
  let url: string;

  beforeAll(async () => {
    clone = await newcomer.clone();
    const server = await newcomer.serve('npm start', clone);
    url = server.url;
    // After `npm link`.
    writeFileSync(join(newcomer.dir, 'bin', 'dowser'), `#!/bin/sh\nexec node "${clone}/dist/cli/main.js" "$@"\n`);
    // A program of others. The address that it gets is checked below.
    writeFileSync(join(newcomer.dir, 'bin', 'claude'), '#!/bin/sh\necho "$@"\n');
    for (const name of ['dowser', 'claude']) chmodSync(join(newcomer.dir, 'bin', name), 0o755);
    const handbook = join(clone, 'handbook');
    mkdirSync(handbook);
    const pages = ['Travel', 'Expenses', 'You have 30 days of leave.'].map((text) => [{ text, x: 50, y: 700 }]);
    writeFileSync(join(handbook, 'leave.pdf'), pdfFile(pages));
  }, LONG_MS);

  it('answers its first search by meaning', async () => {
    expect(await searchModeOf(url, 'something that turns a scan into words')).toBe('hybrid');
  });

  it('prints for the first command what README.md shows', async () => {
    const block = /^```\n\$ (npm run -s dowser -- search .*)\n([^`]*)```$/m;
    const [, command, shown] = block.exec(readme)!;
    const { code, stdout, stderr } = await newcomer.run(command!, clone);
    expect([code, stderr]).toEqual([0, '']);
    if (process.env.UPDATE_README === '1')
      writeFileSync(
        README,
        readme.replace(block, () => `\`\`\`\n$ ${command}\n${stdout}\`\`\``),
      );
    else expect(stdout, 'Write the new output to README.md with UPDATE_README=1').toBe(shown);
  });

  it('runs every command of README.md, in their order', { timeout: LONG_MS }, async () => {
    const commands = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)]
      .flatMap(([, block]) => block!.replaceAll('\\\n', ' ').trimEnd().split('\n'))
      .filter((line) => line !== '' && line !== 'npm start');
    expect(commands.length).toBeGreaterThan(15);
    let hash = '';
    for (const line of commands) {
      const command = line.replaceAll('http://127.0.0.1:7470', url).replace('HASH', hash);
      const { code, stdout, stderr } = await newcomer.run(command, clone);
      // A source that was just added is there, and drifted from nothing.
      expect([command, code, stderr.replace(/^(?:added|embedding|scanning).*\n/gm, '')]).toEqual([
        command,
        0,
        expect.not.stringMatching(/error|Error/),
      ]);
      expect([command, stdout.trim()]).not.toEqual([command, '']);
      hash = /\b[0-9a-f]{64}\b/.exec(stdout)?.[0] ?? hash;
    }
    expect((await fetch(`${url}/mcp`)).status).not.toBe(404);
  });
});

describe('the package', () => {
  let folder: string;
  let packed: readonly string[];

  beforeAll(async () => {
    folder = join(newcomer.dir, 'empty');
    mkdirSync(folder);
    const { stdout } = await newcomer.run(`npm pack --json --pack-destination "${folder}"`, ROOT);
    const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: readonly { path: string }[] }];
    packed = files.map(({ path }) => path);
    const install = await newcomer.run(`npm install --ignore-scripts --no-audit --no-fund ./${filename}`, folder);
    expect([install.code, install.stderr]).toEqual([0, expect.not.stringContaining('npm error')]);
  }, LONG_MS);

  it('has the pages and pictures that README.md links', () => {
    const linked = [...readme.matchAll(/(?:\]\(|src="|srcset=")(?![a-z]+:)([^)#"\s]+)/g)].map(([, path]) => path!);
    expect(linked.length).toBeGreaterThan(20);
    expect(linked.filter((path) => !packed.includes(path))).toEqual([]);
  });

  it('has no tests, and the types of the library', () => {
    expect(packed.filter((path) => /\.test\.|(?:^|\/)(?:test|bench|scripts)\//.test(path))).toEqual([]);
    expect(packed).toContain('dist/index.d.ts');
  });

  it('serves, and answers by meaning, without an install script', { timeout: LONG_MS }, async () => {
    const { url } = await newcomer.serve('npx dowser serve --example --data ./data', folder);
    expect(await searchModeOf(url, 'something that turns a scan into words')).toBe('hybrid');
    const { code, stdout } = await newcomer.run('npx dowser search "read a pdf" --limit 1 --data ./data', folder);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^1 result \(mode hybrid, /)]);
  });

  it('is a library, with the example of README.md', { timeout: LONG_MS }, async () => {
    const [, example] = /^```js\n(.*?)^```$/ms.exec(readme)!;
    const shown = example!.replace(
      'await registry.close',
      'console.log(results.length, search_mode);\nawait registry.close',
    );
    writeFileSync(join(folder, 'example.mjs'), shown.replace('./data', './library'));
    const { stdout, stderr } = await newcomer.run('node example.mjs', folder);
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^1 (?:hybrid|lexical-only)\n$/), '']);
  });

  it('becomes a bundle with the model and the runtime, for a machine without npm', { timeout: LONG_MS }, async () => {
    const { model, runtime } = await ensureLocalFiles(undefined);
    const modules = join(folder, 'node_modules');
    const bundle = writeBundle({ modules, models: [model.dir, dirname(runtime)], folder });
    const bytes = readFileSync(bundle);
    const zip = new ZipArchive('bundle', bytes, bytes.length * 10);
    const manifest = JSON.parse(zip.text('manifest.json')!);
    expect(manifest.server.mcp_config.args).toEqual([`\${__dirname}/${manifest.server.entry_point}`, 'mcp']);
    expect(zip.text(manifest.server.entry_point)).toContain('#!/usr/bin/env node');
    for (const path of [model.weights, runtime]) {
      expect(
        zip.has(`models/${basename(dirname(path).replace(/\/onnx$/, ''))}/${path.split(/\/models\/[^/]+\//)[1]}`),
      ).toBe(true);
    }
    expect(zip.has('server/node_modules/dowser/docs/cli.md')).toBe(false);
  });

  it('is as large as README.md says', async () => {
    const { stdout } = await newcomer.run('du -sk --apparent-size node_modules', folder);
    const [, stated] = /installs (\d+) MB/.exec(readme)!;
    const megabytes = (Number.parseInt(stdout, 10) * 1024) / 1e6;
    expect(Math.abs(megabytes - Number(stated)), `it is ${megabytes.toFixed(0)} MB`).toBeLessThan(0.1 * megabytes);
  });
});

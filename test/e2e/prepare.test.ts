import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const PREPARE = fileURLToPath(new URL('../../scripts/prepare.mjs', import.meta.url));

/** Stands in for npm: takes its time, also when it is told to stop, says when it ends, and installs a compiler. */
const NPM = `#!/usr/bin/env node
const fs = require('node:fs');
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => fs.writeFileSync('told', signal));
fs.appendFileSync('installs', 'start ');
fs.appendFileSync('omitted', process.argv.includes('--omit=dev') ? 'tools ' : 'nothing ');
setTimeout(() => {
  fs.appendFileSync('installs', 'end ');
  if (fs.existsSync('told')) process.exit(1);
  fs.mkdirSync('node_modules/typescript/bin', { recursive: true });
  fs.writeFileSync('node_modules/typescript/bin/tsc', 'process.exit(0)');
}, Number(process.env.NPM_TAKES_MS));
`;

/** A checkout with nothing in it but what an install needs. */
let root: string;
const running = new Set<ChildProcess>();

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dowser-prepare-'));
  mkdirSync(join(root, 'scripts'));
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'scripts', 'package.json'), '{"type":"module"}');
  copyFileSync(PREPARE, join(root, 'scripts', 'prepare.mjs'));
  for (const file of ['package.json', 'package-lock.json']) writeFileSync(join(root, file), '{"type":"module"}');
  writeFileSync(join(root, 'bin', 'npm'), NPM);
  writeFileSync(join(root, 'bin', 'package.json'), '{"type":"commonjs"}');
  chmodSync(join(root, 'bin', 'npm'), 0o755);
});

afterEach(() => {
  for (const child of running) if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL');
  running.clear();
  rmSync(root, { recursive: true, force: true });
});

/** Long enough for something to happen meanwhile. */
const SLOW = 1000;

/** In a process group of its own, as a terminal starts it. */
function install(npmTakesMs = 0, { tools = true } = {}) {
  const script = `import { ensureInstalled } from "./scripts/prepare.mjs"; await ensureInstalled({ tools: ${tools} }); console.log("ready");`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    detached: true,
    env: {
      ...process.env,
      PATH: `${join(root, 'bin')}${delimiter}${process.env.PATH}`,
      NPM_TAKES_MS: String(npmTakesMs),
    },
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, ended, output: () => output };
}

const installs = () => (existsSync(join(root, 'installs')) ? readFileSync(join(root, 'installs'), 'utf8').trim() : '');

describe('installing what a checkout needs', () => {
  it('happens once, and again when part of it is gone', async () => {
    expect(await install().ended).toBe(0);
    expect(await install().ended).toBe(0);
    expect(installs()).toBe('start end');
    rmSync(join(root, 'node_modules', 'typescript'), { recursive: true });
    expect(await install().ended).toBe(0);
    expect(installs()).toBe('start end start end');
  });

  it('leaves out the test tools for a start, adds them for a test, and keeps them from then on', async () => {
    const omitted = () => readFileSync(join(root, 'omitted'), 'utf8').trim();
    for (let i = 0; i < 2; i++) expect(await install(0, { tools: false }).ended).toBe(0);
    expect(omitted()).toBe('tools');
    expect(await install().ended).toBe(0);
    expect(omitted()).toBe('tools nothing');
    expect(await install(0, { tools: false }).ended).toBe(0);
    expect(omitted()).toBe('tools nothing');
    writeFileSync(join(root, 'package-lock.json'), '{"packages":{}}');
    expect(await install(0, { tools: false }).ended).toBe(0);
    expect(omitted()).toBe('tools nothing nothing');
  });

  it('says how many packages it installs', async () => {
    const packages = {
      '': {},
      'node_modules/a': {},
      'node_modules/b': { dev: true },
      'node_modules/c': { os: ['aix'] },
    };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
    const { ended, output } = install(0, { tools: false });
    expect(await ended).toBe(0);
    expect(output()).toContain('Installing 1 packages ...\n');
  });

  it('does not go on behind the back of whoever stopped it', async () => {
    const { child, ended, output } = install(SLOW);
    await expect.poll(installs).toBe('start');
    process.kill(-child.pid!, 'SIGINT');
    expect(await ended).toBe(130);
    expect(installs()).toBe('start end');
    expect(output()).toContain('Stopping the install ...');
    expect(output()).not.toContain('error');
    rmSync(join(root, 'told'));
    expect(await install().ended).toBe(0);
  });

  it('passes on that it is to stop, where no terminal does', async () => {
    const { child, ended } = install(SLOW);
    await expect.poll(installs).toBe('start');
    process.kill(child.pid!, 'SIGTERM');
    expect(await ended).toBe(143);
    expect(installs()).toBe('start end');
    expect(readFileSync(join(root, 'told'), 'utf8')).toBe('SIGTERM');
  });

  it.each([
    ['that says nothing', '', false],
    ['of long ago', String(process.pid), true],
    ['of a process that is gone', '999999999', false],
  ])('does not wait for a note %s', async (_, note, isOld) => {
    const file = join(root, '.cache', 'installing');
    mkdirSync(join(root, '.cache'));
    writeFileSync(file, note);
    if (isOld) utimesSync(file, 0, 0);
    const { ended, output } = install();
    expect(await ended).toBe(0);
    expect(output()).not.toContain('Waiting');
  });

  it('waits for one that is under way', async () => {
    const first = install(SLOW);
    await expect.poll(installs).toBe('start');
    await expect.poll(() => existsSync(join(root, '.cache', 'installing'))).toBe(true);
    const second = install();
    expect([await first.ended, await second.ended]).toEqual([0, 0]);
    expect(installs()).toBe('start end');
    expect(second.output()).toContain('Waiting for another install to end');
  });
});

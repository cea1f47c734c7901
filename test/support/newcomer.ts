import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { modelsDirectory } from '../../src/embedders/models/model-store.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A person who has Node, npm and nothing of Dowser but what the tests have fetched before: npm's cache and the model. */
export class Newcomer {
  readonly dir = mkdtempSync(join(tmpdir(), 'dowser-newcomer-'));
  readonly env: NodeJS.ProcessEnv;
  readonly #running = new Set<ChildProcess>();

  constructor() {
    for (const name of ['home', 'bin']) mkdirSync(join(this.dir, name));
    const mine = Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_|DOWSER_|EMBEDDINGS_|NODE_|VITEST|INIT_CWD)/.test(name),
    );
    this.env = {
      ...Object.fromEntries(mine),
      HOME: join(this.dir, 'home'),
      XDG_CACHE_HOME: join(this.dir, 'home', '.cache'),
      PATH: `${join(this.dir, 'bin')}${delimiter}${process.env.PATH}`,
      npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
      npm_config_prefer_offline: 'true',
      DOWSER_MODELS: process.env.DOWSER_MODELS ?? modelsDirectory(),
      // Any free port: another test may have the usual one.
      DOWSER_PORT: '0',
    };
  }

  /** A clone of this checkout, with what was not committed yet. */
  async clone(): Promise<string> {
    const folder = join(this.dir, 'dowser');
    const git = (...args: string[]) => promisify(execFile)('git', args, { maxBuffer: 64 * 1024 * 1024 });
    await git('clone', '--quiet', '--depth', '1', `file://${ROOT}`, folder);
    const { stdout } = await git(
      '-C',
      ROOT,
      'ls-files',
      '-z',
      '--modified',
      '--others',
      '--deleted',
      '--exclude-standard',
    );
    for (const name of new Set(stdout.split('\0').filter((file) => file !== ''))) {
      if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
      else rmSync(join(folder, name), { force: true });
    }
    return folder;
  }

  /** Runs a command of a shell to its end. */
  run(
    command: string,
    cwd: string,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
    return new Promise((resolve) => {
      execFile('sh', ['-c', command], { cwd, env: this.env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      );
    });
  }

  /** Starts a server, and waits until it prints its address. */
  async serve(command: string, cwd: string): Promise<{ readonly url: string; readonly output: () => string }> {
    const child = spawn('sh', ['-c', `exec ${command}`], { cwd, env: this.env, detached: true });
    this.#running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', () => {
        const address = / at (http:\/\/127\.0\.0\.1:\d+)\n/.exec(output)?.[1];
        if (address !== undefined) resolve(address);
      });
      child.once('close', () => reject(new Error(`\`${command}\` ended:\n${output}`)));
    });
    return { url, output: () => output };
  }

  /** Stops the servers and removes everything. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#running].map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = new Promise((resolve) => child.once('close', resolve));
        process.kill(-child.pid!, 'SIGTERM');
        await ended;
      }),
    );
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** How a new query is answered: by meaning too, or by keyword only. */
export async function searchModeOf(url: string, query: string): Promise<string> {
  const response = await fetch(`${url}/api/search/semantic`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return ((await response.json()) as { search_mode: string }).search_mode;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EntityInput } from '../../src/model/entity.ts';

/** The command as it is shipped; `npm test` builds it first. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A machine of its own for the commands of one test: no home, no settings and no model but what the test gives it. */
export class Sandbox {
  readonly dir: string;
  readonly data: string;
  readonly #main: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #running = new Set<ChildProcess>();

  constructor(dir: string, main: string) {
    this.dir = dir;
    this.#main = main;
    this.data = join(dir, 'data');
    this.#env = {
      PATH: process.env.PATH,
      HOME: dir,
      TMPDIR: dir,
      DOWSER_DATA: this.data,
      DOWSER_MODELS: join(dir, 'models'),
      EMBEDDINGS_PROVIDER: 'off',
    };
  }

  /** `main`: the command of another build. */
  static async open(main = MAIN): Promise<Sandbox> {
    return new Sandbox(await mkdtemp(join(tmpdir(), 'dowser-e2e-')), main);
  }

  async close(): Promise<void> {
    for (const child of this.#running) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Writes a JSON Lines file; text is taken as a line of its own. */
  async file(name: string, lines: readonly unknown[]): Promise<string> {
    const path = join(this.dir, name);
    await writeFile(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
    return path;
  }

  /** Runs a command to its end, with nothing but `input` on its standard input. */
  async run(args: readonly string[], env: NodeJS.ProcessEnv = {}, input = ''): Promise<Finished> {
    const { ended, output, stdin } = this.start(args, env);
    stdin.end(input);
    return { code: await ended, ...output };
  }

  /** Starts a command that the test stops; `ended` is its exit code. */
  start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const { child, output } = this.#spawn(args, env);
    const ended = once(child, 'close').then(([code]) => code as number | null);
    return {
      output,
      ended,
      stdin: child.stdin,
      stop(signal: NodeJS.Signals): Promise<number | null> {
        child.kill(signal);
        return ended;
      },
    };
  }

  /** Starts `dowser serve` on a free port and waits until it says where it is. */
  async serve(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    const { output, ended, stop } = this.start(['serve', '--port', '0', ...args], env);
    let over = false;
    void ended.then(() => {
      over = true;
    });
    const address = () => / at (http:\/\/\S+)/.exec(output.stdout)?.[1];
    while (address() === undefined) {
      if (over) throw new Error(`serve ended:\n${output.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { url: address()!, output, stop };
  }

  #spawn(args: readonly string[], env: NodeJS.ProcessEnv) {
    const child = spawn(process.execPath, [this.#main, ...args], { env: { ...this.#env, ...env }, cwd: this.dir });
    this.#running.add(child);
    child.once('close', () => this.#running.delete(child));
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      output.stdout += part;
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      output.stderr += part;
    });
    return { child, output };
  }
}

export const SERVERS: readonly EntityInput[] = [
  {
    type: 'mcp_server',
    path: '/page-reader',
    name: 'Page Reader',
    description: 'Reads a web page and gives it back as Markdown',
    tags: ['web'],
    tools: [{ name: 'read_page', description: 'Read one page by its address' }],
  },
  {
    type: 'mcp_server',
    path: '/postbox',
    name: 'Postbox',
    description: 'Sends and sorts electronic mail',
    tags: ['mail'],
    tools: [{ name: 'send_mail', description: 'Send a mail' }],
  },
  { type: 'skill', path: '/skills/packing', name: 'packing', description: 'Packs a suitcase for any weather' },
];

import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { answerOf } from '../ask.ts';
import type { EmbeddingEndpoint, ModelName } from '../embedding-endpoint.ts';
import { failOn } from '../fail-on.ts';
import { upkeepOf } from '../open-folder.ts';
import { randomOf } from '../random.ts';
import { ended, NotServed, type ServedProcess, serveProcess, startCommand, textOf } from '../served-process.ts';
import { notFound, readContents } from '../store-contents.ts';
import { ExpectedContents, type Mark } from './expected-contents.ts';
import { contentsOfBackup } from './restored-backup.ts';
import { planOf, type RoundPlan } from './round-plan.ts';
import { Writer } from './writer.ts';

export interface KillOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly embeddings: EmbeddingEndpoint;
  readonly onRound?: (done: number) => void;
}

export interface KillReport {
  readonly rounds: number;
  readonly writes: number;
  readonly backups: number;
  readonly stores: number;
  /** How often a store was opened with another model than before. */
  readonly modelChanges: number;
  readonly killedAtStart: number;
  readonly killedAtStop: number;
}

const WRITERS = 6;
/** A store beyond this is left, and the next round begins a new one. */
const MAX_ENTITIES = 1500;
/** By then a server that answers no writes is killed all the same. */
const MAX_LIFE_MS = 5000;
const MAX_EMBED_MS = 60_000;

/**
 * Lets writers, model changes and backups run on a real server, kills it with SIGKILL at a random moment, starts it again,
 * and compares what it has with what was acknowledged. Throws at the first difference. The folder is then kept.
 */
export async function killRounds(options: KillOptions): Promise<KillReport> {
  const dir = mkdtempSync(join(tmpdir(), 'dowser-kill-'));
  const run = new KillRun(dir, options);
  try {
    await run.all();
  } catch (error) {
    throw new Error(`Round ${run.report.rounds} with --seed ${options.seed}, files in ${dir}: ${String(error)}`, {
      cause: error,
    });
  } finally {
    run.stop();
  }
  rmSync(dir, { recursive: true, force: true });
  return run.report;
}

interface RunningBackup {
  readonly file: string;
  /** When it began. */
  readonly mark: Mark;
  readonly child: ChildProcess;
  readonly over: Promise<void>;
  readonly stderr: () => string;
}

class KillRun {
  readonly report = { rounds: 0, writes: 0, backups: 0, stores: 0, modelChanges: 0, killedAtStart: 0, killedAtStop: 0 };
  readonly #dir: string;
  readonly #options: KillOptions;
  readonly #children = new Set<ChildProcess>();
  #data = '';
  #expected = new ExpectedContents();
  #model: ModelName = 'north';
  #plan: RoundPlan;

  constructor(dir: string, options: KillOptions) {
    this.#dir = dir;
    this.#options = options;
    this.#plan = planOf(options.seed, 0);
  }

  stop(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  async all(): Promise<void> {
    this.#newStore();
    for (; this.report.rounds < this.#options.rounds; this.report.rounds++) {
      await this.#round();
      this.#options.onRound?.(this.report.rounds + 1);
      if (this.#expected.keys().length > MAX_ENTITIES) {
        await this.#lastCheck();
        this.#newStore();
      }
    }
    await this.#lastCheck();
  }

  #newStore(): void {
    if (this.#data !== '') rmSync(this.#data, { recursive: true, force: true });
    this.#data = join(this.#dir, `data-${this.report.stores++}`);
    this.#expected = new ExpectedContents();
  }

  async #round(): Promise<void> {
    this.#plan = planOf(this.#options.seed, this.report.rounds);
    const { random, changesModel, killAtStartMs, killAtStopMs } = this.#plan;
    if (changesModel) this.#changeModel();
    if (killAtStartMs !== null) return this.#killAtStart(killAtStartMs);
    const server = await this.#serve();
    await this.#check(server.url);
    const writers = Array.from({ length: WRITERS }, (_, n) => {
      return new Writer(`w${n}`, this.#expected, randomOf(random.int(2 ** 31)));
    });
    const writing = Promise.all(writers.map((writer) => writer.run(server.url)));
    // A writer that fails is reported below, after the kill.
    writing.catch(() => {});
    const backup = this.#plan.backup === 'none' ? undefined : this.#startBackup();
    await this.#untilKilled(writers, backup);
    if (killAtStopMs !== null) {
      this.report.killedAtStop++;
      server.child.kill('SIGTERM');
      await wait(killAtStopMs);
    }
    await server.end('SIGKILL');
    await writing;
    for (const { acknowledged } of writers) this.report.writes += acknowledged;
    if (backup !== undefined) await this.#checkBackup(backup);
  }

  /** A number of writes and not a time: a busy machine would have none. */
  async #untilKilled(writers: readonly Writer[], backup: RunningBackup | undefined): Promise<void> {
    const { writes, momentMs, backup: end } = this.#plan;
    const isDone = () => writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0) >= writes;
    const until = Date.now() + MAX_LIFE_MS;
    while (!isDone() && Date.now() < until) await wait(2);
    if (end === 'ends') await backup?.over;
    await wait(momentMs);
  }

  #changeModel(): void {
    this.#model = this.#model === 'north' ? 'south' : 'north';
    this.report.modelChanges++;
  }

  async #serve(onStart?: (child: ChildProcess) => void): Promise<ServedProcess> {
    return serveProcess(this.#data, this.#options.embeddings.environment(this.#model), (child) => {
      this.#track(child);
      onStart?.(child);
    });
  }

  #track(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  async #killAtStart(afterMs: number): Promise<void> {
    this.report.killedAtStart++;
    try {
      const server = await this.#serve((child) => setTimeout(() => child.kill('SIGKILL'), afterMs));
      await ended(server.child);
    } catch (error) {
      if (!(error instanceof NotServed) || error.signal !== 'SIGKILL') throw error;
    }
  }

  /** Everything that was acknowledged is there, nothing else is, and it is found. */
  async #check(url: string): Promise<void> {
    const contents = await readContents(url);
    // Writes under way at the kill are open: any mark before them will do.
    failOn(this.#expected.problems(contents, this.#expected.mark()));
    this.#expected.settle(contents);
    failOn(await notFound(url, contents, this.#plan.random));
  }

  #startBackup(): RunningBackup {
    const file = join(this.#dir, `backup-${this.report.rounds}.sqlite`);
    const mark = this.#expected.mark();
    const child = this.#track(startCommand(['backup', file, '--data', this.#data]));
    return { file, mark, child, over: ended(child), stderr: textOf(child.stderr!) };
  }

  /** A backup that was reported as finished must have all that was acknowledged before it began. */
  async #checkBackup({ file, mark, child, over, stderr }: RunningBackup): Promise<void> {
    if (this.#plan.backup === 'is cut off') child.kill('SIGKILL');
    await over;
    if (child.signalCode === null && child.exitCode !== 0) failOn([`the backup failed: ${stderr()}`]);
    if (child.exitCode === 0) {
      this.report.backups++;
      const dir = join(this.#dir, 'restored');
      failOn(this.#expected.problems(await contentsOfBackup(file, dir), mark));
      rmSync(dir, { recursive: true });
    }
    rmSync(file, { force: true });
    rmSync(`${file}.part`, { force: true });
  }

  /** After the last kill of a store: every vector is built, searches are hybrid, and each page is sound. */
  async #lastCheck(): Promise<void> {
    const server = await this.#serve();
    await this.#check(server.url);
    await this.#allEmbedded(server.url);
    const { search_mode } = await answerOf<{ search_mode: string }>(server.url, 'POST', '/api/search/semantic', {
      query: 'a lamp that is alight',
    });
    if (search_mode !== 'hybrid') failOn([`the search is ${search_mode}`]);
    await server.end('SIGTERM');
    failOn((await upkeepOf(this.#data)).check().problems);
  }

  async #allEmbedded(url: string): Promise<void> {
    const until = Date.now() + MAX_EMBED_MS;
    for (;;) {
      const { index } = await answerOf<{ index: { missing_vectors: number; building: unknown } }>(
        url,
        'GET',
        '/api/health',
      );
      if (index.missing_vectors === 0 && (index.building ?? null) === null) return;
      if (Date.now() > until) failOn([`${index.missing_vectors} vectors are missing after ${MAX_EMBED_MS} ms`]);
      await wait(20);
    }
  }
}

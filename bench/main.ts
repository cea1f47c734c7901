import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Budget, checkBudgets } from './budgets.ts';
import { CANDIDATES, RESULTS } from './contenders/contender.ts';
import { titleOf } from './contenders/contenders.ts';
import { generateCorpus } from './corpus/corpus.ts';
import { writeCorpus } from './corpus/corpus-files.ts';
import { exactNeighbors } from './corpus/exact-neighbors.ts';
import type { BenchResult, NotMeasured, Outcome, Responsiveness, SizeResult } from './figures.ts';
import { type BenchOptions, parseOptions, USAGE } from './options.ts';
import { Progress } from './progress.ts';
import { measureResponsiveness } from './responsiveness.ts';
import { terminalTable } from './results-table.ts';
import { ContenderRun, type RunSettings, WrongAnswerError } from './run-contender.ts';
import { speedPage } from './speed-page.ts';

const SEED = 20_231; // any number; the same one every time
const RECALL_QUERIES = 100;

const progress = new Progress();

async function measureSize(units: number, options: BenchOptions, workFolder: string): Promise<SizeResult> {
  const { warmups, timed, legQueries, limitMinutes } = options;
  const title = `${units.toLocaleString('en')} units`;
  const corpusFolder = join(workFolder, `corpus-${units}`);
  mkdirSync(corpusFolder);
  progress.begin(title);
  progress.step('making the corpus');
  const corpus = generateCorpus({ units, queries: warmups + timed + legQueries, seed: SEED });
  const sample = corpus.queries.slice(warmups, warmups + RECALL_QUERIES);
  await writeCorpus(corpusFolder, corpus, exactNeighbors(corpus, sample, { nearest: RESULTS, candidates: CANDIDATES }));
  const entities = corpus.entities.length;
  progress.end(`${entities.toLocaleString('en')} entities, ${warmups} + ${timed} + ${legQueries} queries`);

  const onStep = (text: string) => progress.step(text);
  const settings = { corpusFolder, workFolder, warmups, timed, limitMinutes, onStep };
  const outcomes = await measureAll(title, options, settings);
  rmSync(corpusFolder, { recursive: true });
  const result = { units, entities, queries: timed, outcomes };
  process.stdout.write(`\n${title}\n${terminalTable(result)}\n\n`);
  return result;
}

/** What is durable is built first; then all are searched in rounds, the quick ones within the same minute. */
async function measureAll(
  title: string,
  { contenders, rounds }: BenchOptions,
  settings: RunSettings,
): Promise<Record<string, Outcome>> {
  const runs = new Map(contenders.map((contender) => [contender, new ContenderRun(contender, settings)]));
  const outcomes: Record<string, Outcome> = {};
  try {
    for (const [contender, run] of runs) {
      progress.begin(`${title}, ${titleOf(contender)}`);
      await run.build();
      progress.end(run.wantsRound ? 'ready' : told(run.outcome()));
    }
    for (let round = 1; round <= rounds; round++) {
      for (const [contender, run] of runs) {
        if (!run.wantsRound) continue;
        progress.begin(`${title}, ${titleOf(contender)}, round ${round} of ${rounds}`);
        const search = await run.searchRound();
        progress.end(search === undefined ? told(run.outcome()) : `p50 ${search.hybrid.p50.toFixed(2)} ms`);
      }
    }
    for (const [contender, run] of runs) outcomes[contender] = run.outcome();
  } finally {
    for (const run of runs.values()) run.close();
  }
  return outcomes;
}

function told(outcome: Outcome): string {
  if (outcome.status === 'measured') return `p50 ${outcome.search.hybrid.p50.toFixed(2)} ms`;
  return `${outcome.status.toUpperCase()}: ${outcome.reason}`;
}

async function responsivenessOf(): Promise<Responsiveness | NotMeasured> {
  progress.begin('Command start and event loop');
  const measured = await measureResponsiveness();
  progress.end(measured.status === 'measured' ? 'measured' : `FAILED: ${measured.reason}`);
  return measured;
}

async function run(options: BenchOptions, args: readonly string[]): Promise<number> {
  const [loadBefore] = loadavg() as [number, ...number[]];
  const cores = cpus().length;
  if (loadBefore > cores / 4) {
    process.stderr.write(
      `This machine is busy (load ${loadBefore.toFixed(1)}): every figure will be worse than it could be.\n`,
    );
  }
  const workFolder = mkdtempSync(join(tmpdir(), 'dowser-bench-'));
  const clean = () => rmSync(workFolder, { recursive: true, force: true });
  process.once('SIGINT', () => {
    clean();
    process.exit(130);
  });
  const sizes: SizeResult[] = [];
  let responsiveness: BenchResult['responsiveness'] = null;
  try {
    if (options.contenders.includes('dowser')) responsiveness = await responsivenessOf();
    for (const units of options.sizes) sizes.push(await measureSize(units, options, workFolder));
  } finally {
    clean();
  }
  const result: BenchResult = {
    command: commandOf(args),
    machine: {
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      cores,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      node: process.versions.node,
    },
    loadBefore,
    responsiveness,
    sizes,
  };
  const budgets = checkBudgets(result);
  if (options.json !== null) writeFileSync(options.json, `${JSON.stringify({ ...result, budgets }, null, 2)}\n`);
  if (options.write) {
    const earlierBuild = readFileSync(new URL('earlier-build.md', import.meta.url), 'utf8');
    writeFileSync(new URL('../docs/speed.md', import.meta.url), speedPage(result, budgets, earlierBuild));
  }
  return report(budgets, options.check);
}

/** The command for the same figures, without the output file. */
function commandOf(args: readonly string[]): string {
  const said = args.filter((arg, i) => !arg.startsWith('--json') && args[i - 1] !== '--json');
  return ['npm run bench', ...(said.length === 0 ? [] : ['--', ...said])].join(' ');
}

function report(budgets: readonly Budget[], check: boolean): number {
  const missed = budgets.filter((budget) => !budget.kept);
  for (const { what, limit, measured, kept } of budgets) {
    process.stdout.write(`${kept ? 'kept  ' : 'MISSED'}  ${what}: ${measured} (${limit})\n`);
  }
  if (missed.length === 0) return 0;
  process.stdout.write(`\n${missed.length} of ${budgets.length} budgets were missed.\n`);
  return check ? 1 : 0;
}

const args = process.argv.slice(2);
let options: BenchOptions | 'help';
try {
  options = parseOptions(args);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exit(2);
}
if (options === 'help') process.stdout.write(USAGE);
else {
  try {
    process.exitCode = await run(options, args);
  } catch (error) {
    if (!(error instanceof WrongAnswerError)) throw error;
    progress.end('STOPPED');
    process.stderr.write(`error: ${error.message}\nThe contenders were not asked the same; nothing was written.\n`);
    process.exitCode = 1;
  }
}

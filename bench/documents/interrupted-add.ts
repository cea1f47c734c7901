import { once } from 'node:events';
import { type Environment, ended, startCommand, textOf } from '../torture/served-process.ts';
import { accessedFiles } from './accessed-files.ts';
import { watchPeaks } from './peak-memory.ts';

export interface AddRun {
  readonly how: string;
  readonly seconds: number;
  readonly memoryMb: number;
  readonly readerMb: number;
  /** Files that were opened by this run, and how many of them by an earlier one too. */
  readonly opened: number;
  readonly openedAgain: number;
  /** Files of the collection after the run. */
  readonly stored: number;
}

interface Add {
  readonly folder: string;
  readonly files: readonly string[];
  readonly data: string;
  readonly env: Environment;
}

/** Adds a folder by the command, stops it as each step says, and goes on until it is done. Then scans it once more. */
export async function addInterrupted(add: Add, onRun: (run: AddRun) => void): Promise<readonly AddRun[]> {
  const before = new Set<string>();
  const runs: AddRun[] = [];
  await accessedFiles(add.files);
  const steps = [
    { how: 'Ctrl-C at 30 %', signal: 'SIGINT', atPercent: 30 },
    { how: 'kill -9 at 60 %', signal: 'SIGKILL', atPercent: 60 },
    { how: 'to the end', signal: null, atPercent: 101 },
    { how: 'nothing changed', signal: null, atPercent: 101 },
  ] as const;
  for (const { how, signal, atPercent } of steps) {
    const { seconds, peaks } = await addOnce(add, signal, atPercent);
    const opened = await accessedFiles(add.files);
    const openedAgain = [...opened].filter((file) => before.has(file)).length;
    for (const file of opened) before.add(file);
    const stored = await storedFiles(add);
    const run = {
      how,
      seconds,
      memoryMb: peaks.own,
      readerMb: peaks.children,
      opened: opened.size,
      openedAgain,
      stored,
    };
    onRun(run);
    runs.push(run);
  }
  return runs;
}

async function addOnce({ folder, data, env }: Add, signal: NodeJS.Signals | null, atPercent: number) {
  const start = performance.now();
  const child = startCommand(['docs', 'add', folder, '--name', 'big', '--data', data], env);
  const watch = watchPeaks(child.pid!);
  const stderr = textOf(child.stderr!);
  child.stdout!.resume();
  child.stderr!.on('data', () => {
    const percents = [...stderr().matchAll(/reading big +(\d+)%/g)];
    if (signal !== null && Number(percents.at(-1)?.[1] ?? 0) >= atPercent) child.kill(signal);
  });
  await ended(child);
  const peaks = watch.stop();
  if (signal === null && child.exitCode !== 0) throw new Error(`The command failed: ${stderr()}`);
  return { seconds: (performance.now() - start) / 1000, peaks };
}

async function storedFiles({ data, env }: Add): Promise<number> {
  const child = startCommand(['docs', 'list', '--json', '--data', data], env);
  const stdout = textOf(child.stdout!);
  await once(child, 'close');
  const { collections } = JSON.parse(stdout()) as { collections: readonly { files: number }[] };
  return collections[0]?.files ?? 0;
}

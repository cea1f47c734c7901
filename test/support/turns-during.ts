import { setImmediate } from 'node:timers/promises';

/** How often something else has a turn while the work runs. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await setImmediate();
    turns++;
  }
  await work;
  return turns;
}

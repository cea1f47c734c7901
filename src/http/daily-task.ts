const DAY_MS = 86_400_000;

/** Runs a task now and then every day, one run at a time. `onError` hears of a run that failed. Returns what stops it. */
export function startDailyTask(run: () => Promise<unknown>, onError: (error: unknown) => void): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const start = () => {
    running = running.then(run).catch(onError);
  };
  start();
  const timer = setInterval(start, DAY_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

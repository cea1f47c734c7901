const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Runs a task now and then every day, one run at a time. A run that failed is told to `onError` and repeated after an hour.
 * Returns what stops it.
 */
export function startDailyTask(run: () => Promise<unknown>, onError: (error: unknown) => void): () => Promise<void> {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void>;
  const start = () => {
    running = runOnce();
  };
  const runOnce = async () => {
    let waitMs = DAY_MS;
    try {
      await run();
    } catch (error) {
      onError(error);
      waitMs = HOUR_MS;
    }
    if (!isOver) timer = setTimeout(start, waitMs).unref();
  };
  start();
  return () => {
    isOver = true;
    clearTimeout(timer);
    return running;
  };
}

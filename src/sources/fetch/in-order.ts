/**
 * Works on several items at once and returns the results in the order of the items. When the reader stops early or an item
 * fails, it waits for running work, which may hold a process or a connection.
 */
export async function* inOrder<T, R>(
  items: readonly T[],
  atOnce: number,
  signal: AbortSignal,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const underWay: Promise<R>[] = [];
  let next = 0;
  let free = atOnce;
  const waiting: (() => void)[] = [];
  const start = async (item: T): Promise<R> => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free--;
    try {
      signal.throwIfAborted();
      return await work(item);
    } finally {
      const other = waiting.shift();
      if (other === undefined) free++;
      else other();
    }
  };
  for (const item of items) {
    const result = start(item);
    result.catch(() => {});
    underWay.push(result);
  }
  try {
    for (; next < underWay.length; next++) yield await underWay[next]!;
  } finally {
    await Promise.allSettled(underWay);
  }
}

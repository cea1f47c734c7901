import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** In a thread of its own: the clients of a load keep this one busy. */
const WATCH = `
  const { parentPort, workerData } = require('node:worker_threads');
  const times = { health: [], read: [] };
  let isOver = false;
  parentPort.once('message', () => { isOver = true; });
  const ask = async (name, path) => {
    const asked = performance.now();
    await (await fetch(workerData.url + path, { headers: workerData.headers })).arrayBuffer();
    times[name].push(performance.now() - asked);
  };
  (async () => {
    await ask('health', '/api/health');
    await ask('read', '/api/version');
    parentPort.postMessage('ready');
    while (!isOver) {
      await ask('health', '/api/health');
      await ask('read', '/api/version');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    parentPort.postMessage(times);
    parentPort.close();
  })();
`;

/** The headers of a caller with a key. */
export const credentials = (key: string | undefined): Readonly<Record<string, string>> =>
  key === undefined ? {} : { Authorization: `Bearer ${key}` };

/** How long each request took, in milliseconds. */
export interface OthersTimes {
  readonly health: readonly number[];
  /** A request that takes its turn among the others. */
  readonly read: readonly number[];
}

export interface OthersWatch {
  stop(): Promise<OthersTimes>;
}

/** Another caller: asks for health and for a small answer all the time. The first two are left out: they open connections. */
export async function watchOthers(url: string, key?: string): Promise<OthersWatch> {
  const workerData = { url, headers: credentials(key) };
  const worker = new Worker(WATCH, { eval: true, workerData, execArgv: [] });
  await once(worker, 'message');
  return {
    async stop() {
      const answered = once(worker, 'message');
      worker.postMessage('stop');
      const [times] = (await answered) as [{ health: number[]; read: number[] }];
      return { health: times.health.slice(1), read: times.read.slice(1) };
    },
  };
}

/** The value below which this share of the numbers is. 1: the greatest. */
export function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
}

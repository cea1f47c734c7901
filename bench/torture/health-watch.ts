import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** In a thread of its own: the clients of a load keep this one busy. */
const WATCH = `
  const { parentPort, workerData } = require('node:worker_threads');
  const times = [];
  let isOver = false;
  parentPort.once('message', () => { isOver = true; });
  (async () => {
    while (!isOver) {
      const asked = performance.now();
      await (await fetch(workerData + '/api/health')).arrayBuffer();
      times.push(performance.now() - asked);
      if (times.length === 1) parentPort.postMessage('ready');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    parentPort.postMessage(times);
    parentPort.close();
  })();
`;

export interface HealthWatch {
  /** How long each health check took, in milliseconds. The first one is left out: it opens the connection. */
  stop(): Promise<readonly number[]>;
}

/** Asks for health all the time. */
export async function watchHealth(url: string): Promise<HealthWatch> {
  const worker = new Worker(WATCH, { eval: true, workerData: url, execArgv: [] });
  await once(worker, 'message');
  return {
    async stop() {
      const answered = once(worker, 'message');
      worker.postMessage('stop');
      const [times] = (await answered) as [readonly number[]];
      return times.slice(1);
    },
  };
}

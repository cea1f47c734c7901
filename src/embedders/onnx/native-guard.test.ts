import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { NativeGuard } from './native-guard.ts';

describe('NativeGuard', () => {
  // A guard that is not free would block for three times the timeout.
  it('passes results and errors of the work on, and is free afterwards', { timeout: 10_000 }, async () => {
    const guard = new NativeGuard();
    expect(await guard.run(async () => 7)).toBe(7);
    await expect(guard.run(() => Promise.reject(new Error('inside')))).rejects.toThrow('inside');
    guard.end(30_000);
  });

  it('lets no work begin once the process is ending', async () => {
    const guard = new NativeGuard();
    guard.end(0);
    let hasBegun = false;
    void guard.run(async () => {
      hasBegun = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(hasBegun).toBe(false);
  });

  it('waits for a thread that is inside', async () => {
    const guard = new NativeGuard();
    void guard.run(() => new Promise(() => undefined));
    const left = new Int32Array(new SharedArrayBuffer(4));
    const leave = `
      const { workerData } = require('node:worker_threads');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      workerData.left[0] = 1;
      Atomics.store(workerData.shared, 0, 0);
      Atomics.notify(workerData.shared, 0);
    `;
    const worker = new Worker(leave, { eval: true, execArgv: [], workerData: { shared: guard.shared, left } });
    guard.end(10_000);
    expect(left[0]).toBe(1);
    await worker.terminate();
  });

  it('does not wait for ever', () => {
    const guard = new NativeGuard();
    void guard.run(() => new Promise(() => undefined));
    guard.end(10);
  });
});

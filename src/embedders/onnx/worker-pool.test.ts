import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { WorkerPool } from './worker-pool.ts';

/**
 * A stand-in for the model: the vector of a text is its length, twice. Some texts do more than that:
 * `slow` takes 20 ms, `very slow` 500, `thread` 20 and gives the thread's number, `begun` gives how many texts the thread has
 * begun, `fail` throws, `die` ends the thread. Jobs are done in the order they come.
 */
const STAND_IN = `
  const { parentPort, workerData, threadId } = require('node:worker_threads');
  const dropped = new Set();
  let last = Promise.resolve();
  let begun = 0;
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  async function embed({ id, texts }) {
    const vectors = new Float32Array(texts.length * 2);
    for (const [i, text] of texts.entries()) {
      if (dropped.has(id)) return;
      begun++;
      if (text === 'slow' || text === 'thread') await wait(20);
      if (text === 'very slow') await wait(500);
      if (text === 'die') process.exit(3);
      if (text === 'fail') return parentPort.postMessage({ type: 'error', id, message: 'bad text' });
      const value = text === 'thread' ? threadId : text === 'begun' ? begun : text.length;
      vectors.fill(value, 2 * i, 2 * i + 2);
    }
    parentPort.postMessage({ type: 'vectors', id, vectors });
  }
  parentPort.on('message', (message) => {
    if (message.type === 'drop') dropped.add(message.id);
    else if (message.type === 'close') parentPort.close();
    else last = last.then(() => embed(message));
  });
  if (workerData === 'broken') {
    parentPort.postMessage({ type: 'failed', message: 'no runtime', hint: 'install it' });
    parentPort.close();
  } else parentPort.postMessage({ type: 'ready' });
`;

let pools: WorkerPool[] = [];
let started = 0;

function openPool(options: { workers?: number; setups?: string[] } = {}): WorkerPool {
  started = 0;
  const pool = new WorkerPool({
    start: () =>
      new Worker(STAND_IN, { eval: true, workerData: options.setups?.[started++] ?? started++, execArgv: [] }),
    workers: options.workers ?? 1,
    dimensions: 2,
    name: 'stand-in',
  });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  pools = [];
});

const lengths = async (call: Promise<readonly Float32Array[]>) => (await call).map((vector) => vector[0]);
const texts = (count: number, text?: string) => Array.from({ length: count }, (_, i) => text ?? 'x'.repeat(i));

describe('WorkerPool', () => {
  it('gives vectors in the order of the texts, over many tasks and threads', async () => {
    const pool = openPool({ workers: 2 });
    expect(await lengths(pool.embed(texts(100), { as: 'document' }))).toEqual([...Array(100).keys()]);
    expect(started).toBe(2);
  });

  it('starts no thread before it is needed, and one is enough for a question', async () => {
    const pool = openPool({ workers: 2 });
    expect(await pool.embed([], { as: 'query' })).toEqual([]);
    expect(started).toBe(0);
    await pool.embed(['a'], { as: 'query' });
    expect(started).toBe(1);
  });

  it('shares a long queue between its threads', async () => {
    const pool = openPool({ workers: 2 });
    await pool.start();
    const used = await lengths(pool.embed(texts(100, 'thread'), { as: 'document' }));
    expect(new Set(used).size).toBe(2);
  });

  it('lets a question overtake the documents that wait', async () => {
    const pool = openPool();
    const order: string[] = [];
    const documents = pool.embed(texts(40, 'slow'), { as: 'document' }).then(() => order.push('documents'));
    const question = pool.embed(['?'], { as: 'query' }).then(() => order.push('question'));
    await Promise.all([documents, question]);
    expect(order).toEqual(['question', 'documents']);
  });

  it('rejects the calls of a thread that dies, and starts another for the next', async () => {
    const pool = openPool();
    const first = pool.embed(['slow', 'die'], { as: 'document' });
    await expect(first).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: 'The embedder stand-in stopped with exit code 3.',
    });
    expect(await lengths(pool.embed(['four'], { as: 'query' }))).toEqual([4]);
    expect(started).toBe(2);
  });

  it('goes on with the calls that a dying thread had not begun', async () => {
    const pool = openPool();
    const dying = pool.embed(['slow', 'die', ...texts(14, 'slow')], { as: 'document' });
    const waiting = pool.embed(texts(40, 'abc'), { as: 'document' });
    await expect(dying).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
    expect(await lengths(waiting)).toEqual(Array(40).fill(3));
  });

  it('fails one call for a text that cannot be embedded, and no other', async () => {
    const pool = openPool();
    const bad = pool.embed(['fail'], { as: 'document' });
    const good = pool.embed(['ok'], { as: 'document' });
    await expect(bad).rejects.toThrow('The embedder stand-in failed on a text: bad text.');
    expect(await lengths(good)).toEqual([2]);
    expect(started).toBe(1);
  });

  it('fails everyone who waits for a thread that cannot start, with the reason and a hint', async () => {
    const pool = openPool({ setups: ['broken', 'broken', 'sound'] });
    const calls = [pool.embed(['a'], { as: 'query' }), pool.embed(['b'], { as: 'document' }), pool.start()];
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({
        code: 'EMBEDDER_UNAVAILABLE',
        message: expect.stringContaining('cannot load its model: no runtime'),
        hint: 'install it',
      });
    }
    await expect(pool.start()).rejects.toThrow('no runtime');
    await pool.start();
    expect(pool.isReady).toBe(true);
  });

  it('says while it is starting', async () => {
    const pool = openPool();
    expect(pool.isStarting).toBe(false);
    const ready = pool.start();
    expect(pool.isStarting).toBe(true);
    await ready;
    expect(pool.isStarting).toBe(false);
  });

  it('drops what an aborted call still had to do', async () => {
    const pool = openPool();
    await pool.start();
    const stop = new AbortController();
    const aborted = pool.embed(texts(1000, 'very slow'), { as: 'document', signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    const [begun] = await lengths(pool.embed(['begun'], { as: 'document' }));
    // The text under way and the one that asks; what was sent to the thread has sixteen.
    expect(begun).toBeLessThan(8);
    await expect(pool.embed(['x'], { as: 'query', signal: stop.signal })).rejects.toThrow('enough');
  });

  it('rejects calls under way and later ones when closed, and closes twice', async () => {
    const pool = openPool();
    const call = pool.embed(texts(100, 'slow'), { as: 'document' });
    await Promise.all([pool.close(), expect(call).rejects.toThrow('The embedder stand-in is closed.')]);
    await expect(pool.embed(['a'], { as: 'query' })).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
    await expect(pool.start()).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
    await pool.close();
    expect(started).toBe(1);
  });
});

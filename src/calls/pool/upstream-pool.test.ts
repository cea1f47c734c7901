import { describe, expect, it, vi } from 'vitest';
import type { CallableServer } from '../../sources/mcp/callable-server.ts';
import { Redactor } from '../../sources/secrets/redactor.ts';
import { type PoolLimits, UpstreamPool } from './upstream-pool.ts';

const LIMITS: PoolLimits = {
  perServer: 1,
  total: 4,
  idleMs: 0,
  startWaitMs: 60_000,
  atOnce: 8,
  queueMs: 60_000,
  listMs: 60_000,
};
const NEVER = new AbortController().signal;

/** A server without a process. Its list of tools is what `lists` gives. */
function fakeServer(
  key: string,
  lists: () => Promise<readonly object[]> = async () => [],
  isModern: () => boolean = () => false,
) {
  const told: { change: () => void }[] = [];
  let starts = 0;
  const open = async () => {
    starts++;
    return {
      client: {},
      watchTools: (change: () => void) => void told.push({ change }),
      transport: 'stdio',
      isModern: isModern(),
      child: undefined,
      failure: (thrown: unknown) => thrown,
      onClose: () => {},
      close: async () => {},
    } as never;
  };
  const server: CallableServer = {
    key,
    title: key,
    usesCredentials: false,
    url: undefined,
    open,
    listTools: async () => (await lists()) as never,
    redactor: () => new Redactor([]),
  };
  return { server, starts: () => starts, change: () => told.at(-1)!.change() };
}

describe('an instance that others wait for', () => {
  it('goes to them in the order in which they came, however often its owner calls', async () => {
    let now = 0;
    const pool = new UpstreamPool(LIMITS, () => now);
    const { server } = fakeServer('a');
    const first = await pool.acquire(server, '/a', 'ada', NEVER);
    const got: string[] = [];
    const waiting = ['bob', 'eve', 'ada2'].map(async (owner) => {
      const lease = await pool.acquire(server, '/a', owner, NEVER);
      got.push(owner);
      now += 5000;
      lease.release();
    });
    now += 5000;
    first.release();
    // It asks as soon as there is a place, before those who wait have noticed.
    const newcomer = first.upstream.end().then(async () => {
      const lease = await pool.acquire(server, '/a', 'late', NEVER);
      got.push('late');
      lease.release();
    });
    await Promise.all([...waiting, newcomer]);
    expect(got).toEqual(['bob', 'eve', 'ada2', 'late']);
    await pool.close();
  });

  it('is kept as long as its start took', async () => {
    let now = 0;
    const pool = new UpstreamPool({ ...LIMITS, queueMs: 3_600_000 }, () => now);
    const { server, starts } = fakeServer('a');
    const { upstream, release } = await pool.acquire(server, '/a', 'ada', NEVER);
    upstream.startMs = 9000;
    release();
    const other = pool.acquire(server, '/a', 'bob', NEVER);
    for (let at = 0; at < 8; at++) {
      now += 1000;
      const lease = await pool.acquire(server, '/a', 'ada', NEVER);
      lease.release();
      // Bob looks whether it is his turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(starts()).toBe(1);
    now += 2000;
    await other;
    expect(starts()).toBe(2);
    await pool.close();
  });
});

describe('of servers with and without sessions', () => {
  const owners = ['ada', 'bob', 'eve'];
  const acquireAll = (pool: UpstreamPool, server: CallableServer) =>
    Promise.all(owners.map((owner) => pool.acquire(server, '/a', owner, NEVER)));

  it('one without is started once for all who call at once, also at the first time', async () => {
    const pool = new UpstreamPool({ ...LIMITS, perServer: 3 }, () => 0);
    const { server, starts } = fakeServer('a', undefined, () => true);
    const leases = await acquireAll(pool, server);
    expect([starts(), new Set(leases.map(({ upstream }) => upstream)).size]).toEqual([1, 1]);
    await pool.close();
  });

  it('one with is started for each, and so is one that has them since its last start', async () => {
    const pool = new UpstreamPool({ ...LIMITS, perServer: 3 }, () => 0);
    let isModern = true;
    const { server } = fakeServer('a', undefined, () => isModern);
    for (const { release } of await acquireAll(pool, server)) release();
    await pool.stop();
    isModern = false;
    const leases = await acquireAll(pool, server);
    expect(leases.map(({ upstream }) => upstream.owner)).toEqual(owners);
    await pool.close();
  });
});

it('a start that an operator stops is no failed start: the next call starts the server again', async () => {
  const pool = new UpstreamPool(LIMITS, () => 0);
  const { server } = fakeServer('a');
  const never = {
    ...server,
    open: (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  };
  for (let nth = 0; nth < 4; nth++) {
    const waiting = pool.acquire(never, '/a', 'ada', NEVER);
    waiting.catch(() => {});
    expect(await pool.stop('/a')).toBe(1);
    await expect(waiting).rejects.toThrow('The server was ended.');
  }
  const { release } = await pool.acquire(server, '/a', 'ada', NEVER);
  release();
  await pool.close();
});

it('a server that never starts holds up no other', async () => {
  const pool = new UpstreamPool({ ...LIMITS, total: 6 }, () => 0);
  const dead = { ...fakeServer('dead').server, open: () => new Promise<never>(() => {}) };
  const left = new AbortController();
  const waiting = pool.acquire(dead, '/dead', 'ada', left.signal);
  waiting.catch(() => {});
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    const { upstream } = await pool.acquire(fakeServer(key).server, `/${key}`, 'ada', NEVER);
    expect(upstream.path).toBe(`/${key}`);
  }
  left.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow();
});

describe('an instance that does not answer', () => {
  it('takes no more calls after three in a row, and ends after those under way', async () => {
    const pool = new UpstreamPool(LIMITS, () => 0);
    const { server, starts } = fakeServer('a');
    const leases = [];
    for (let at = 0; at < 3; at++) leases.push(await pool.acquire(server, '/a', 'ada', NEVER));
    const { upstream } = leases[0]!;
    upstream.leftUnanswered();
    upstream.leftUnanswered();
    upstream.answered();
    upstream.leftUnanswered();
    expect(upstream.state).toBe('ready');
    upstream.leftUnanswered();
    upstream.leftUnanswered();
    expect(upstream.state).toBe('ending');
    leases[0]!.release();
    leases[1]!.release();
    expect(upstream.state).toBe('ending');
    leases[2]!.release();
    await vi.waitFor(() => expect(upstream.state).toBe('ended'));
    await pool.acquire(server, '/a', 'ada', NEVER);
    expect(starts()).toBe(2);
    await pool.close();
  });

  it('is discarded without the calls of others, if it has no process', async () => {
    const pool = new UpstreamPool(LIMITS, () => 0);
    const { server } = fakeServer('a');
    const other = await pool.acquire(server, '/a', 'ada', NEVER);
    await pool.discard(other.upstream);
    expect(other.upstream.state).toBe('ending');
    other.release();
    await vi.waitFor(() => expect(other.upstream.state).toBe('ended'));
    await pool.close();
  });
});

describe('a list of tools that has changed', () => {
  it('is waited for by everyone who calls, and read once for all', async () => {
    let reads = 0;
    let finish = () => {};
    const { server, change } = fakeServer('a', async () => {
      reads++;
      if (reads > 1) await new Promise<void>((resolve) => (finish = resolve));
      return [{ name: `tool${reads}` }];
    });
    const pool = new UpstreamPool(LIMITS, () => 0);
    const { upstream } = await pool.acquire(server, '/a', 'ada', NEVER);
    change();
    const asked = [upstream.tools(NEVER), upstream.tools(NEVER)];
    await vi.waitFor(() => expect(reads).toBe(2));
    const left = new AbortController();
    const gone = upstream.tools(left.signal);
    left.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    finish();
    expect((await Promise.all(asked)).map((tools) => [...tools.keys()])).toEqual([['tool2'], ['tool2']]);
    expect(reads).toBe(2);
    await pool.close();
  });

  it('each time it is read does not hold a call up for ever', async () => {
    let reads = 0;
    const fake = fakeServer('a', async () => {
      reads++;
      if (reads > 1) fake.change();
      return [];
    });
    const pool = new UpstreamPool(LIMITS, () => 0);
    const { upstream } = await pool.acquire(fake.server, '/a', 'ada', NEVER);
    fake.change();
    await upstream.tools(NEVER);
    expect(reads).toBeLessThan(6);
    await pool.close();
  });
});

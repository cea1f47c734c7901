import { beforeEach, describe, expect, it } from 'vitest';
import { DowserError, RefusedText } from '../../model/errors/errors.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { LoadFailure } from '../load-failure.ts';
import { BreakerEmbedder, type BreakerOptions } from './breaker.ts';

const down = () => new DowserError('EMBEDDER_UNAVAILABLE', 'No route.', { hint: 'Plug it in.' });
const rejected = () => new DowserError('EMBEDDER_REJECTED', 'Bad key.');

/** Does what each test tells it, call by call. */
class ScriptedModel implements Embedder {
  readonly id = 'scripted/model/1';
  readonly dimensions = 1;
  readonly calls: string[][] = [];
  loading = false;
  warm?: () => Promise<void>;
  behavior: (options: EmbedOptions) => Promise<void> = async () => undefined;

  async embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    this.calls.push([...texts]);
    await this.behavior(options);
    return texts.map((text) => Float32Array.of(text.length));
  }
  async close(): Promise<void> {}
}

let model: ScriptedModel;
let now: number;
let breaker: BreakerEmbedder;

function open(options: BreakerOptions = {}): void {
  breaker = new BreakerEmbedder(model, { now: () => now, ...options });
}

beforeEach(() => {
  model = new ScriptedModel();
  now = Date.parse('2026-01-01T00:00:00Z');
  open();
});

const ask = (text = 'q', signal?: AbortSignal) =>
  breaker.embed([text], { as: 'query', ...(signal === undefined ? {} : { signal }) });
const failing = async (error: Error) => {
  throw error;
};
const until = (signal: AbortSignal | undefined) =>
  new Promise<void>((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));

/** A promise and what settles it. */
function gate() {
  let release = (_?: Error): void => undefined;
  const opened = new Promise<void>((resolve, reject) => {
    release = (error) => (error === undefined ? resolve() : reject(error));
  });
  return { opened, release };
}

/** One more failure opens the breaker. */
async function failOnce(): Promise<void> {
  model.behavior = () => failing(down());
  await expect(ask()).rejects.toThrow('No route.');
  model.calls.length = 0;
}

describe('a closed breaker', () => {
  it('passes calls and vectors through', async () => {
    expect(await ask('abc')).toEqual([Float32Array.of(3)]);
    expect(breaker.state()).toEqual({ id: 'scripted/model/1', state: 'ready' });
  });

  it('does not call the embedder for an empty list', async () => {
    expect(await breaker.embed([], { as: 'document' })).toEqual([]);
    expect(model.calls).toEqual([]);
  });

  it('opens after two failures in a row, not after two with a success between', async () => {
    model.behavior = () => failing(down());
    await expect(ask()).rejects.toThrow('No route.');
    model.behavior = async () => undefined;
    await ask();
    model.behavior = () => failing(down());
    await expect(ask()).rejects.toThrow('No route.');
    expect(breaker.state().state).toBe('ready');
    await expect(ask()).rejects.toThrow('No route.');
    expect(breaker.state()).toEqual({
      id: 'scripted/model/1',
      state: 'down',
      error: 'No route. Down since 2026-01-01T00:00:00.000Z.',
      retryAt: '2026-01-01T00:00:01.000Z',
    });
  });

  it('opens at once when the embedder rejects us', async () => {
    model.behavior = () => failing(rejected());
    await expect(ask()).rejects.toThrow('Bad key.');
    expect(breaker.state().state).toBe('down');
  });

  it('does not count calls that the caller gives up', async () => {
    await failOnce();
    model.behavior = ({ signal }) => until(signal);
    const stop = new AbortController();
    const call = ask('q', stop.signal);
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect(breaker.state().state).toBe('ready');
  });
});

describe('a text that the embedder refuses', () => {
  beforeEach(() => {
    model.behavior = async () => {
      if (model.calls.at(-1)!.some((text) => text.includes('poison'))) throw rejected();
    };
  });

  it('fails alone, however often it is asked for, and leaves the breaker closed', async () => {
    for (let i = 0; i < 10; i++) {
      await expect(ask(`poison ${i}`)).rejects.toThrow(RefusedText);
      expect(await ask('fine')).toHaveLength(1);
    }
    expect(breaker.state().state).toBe('ready');
  });

  it('closes the breaker if it was the trial', async () => {
    const works = model.behavior;
    model.behavior = () => failing(down());
    for (let i = 0; i < 2; i++) await ask().catch(() => undefined);
    expect(breaker.state().state).toBe('down');
    now += 1000;
    model.behavior = works;
    await expect(ask('poison')).rejects.toThrow(RefusedText);
    expect(breaker.state().state).toBe('ready');
  });

  it('costs one harmless text for all that fail at once', async () => {
    await Promise.allSettled(['poison a', 'poison b', 'poison c'].map((text) => ask(text)));
    expect(model.calls.filter(([text]) => text === 'tool')).toHaveLength(1);
  });

  it('is not blamed if the harmless text fails too', async () => {
    model.behavior = () => failing(rejected());
    await expect(ask('fine')).rejects.not.toThrow(RefusedText);
    expect(breaker.state().state).toBe('down');
  });
});

describe('an open breaker', () => {
  beforeEach(async () => {
    model.behavior = () => failing(rejected());
    await ask().catch(() => undefined);
    model.calls.length = 0;
  });

  it('fails at once, with the reason, the time of the next trial and the first hint', async () => {
    await expect(ask()).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: 'The embedder scripted/model/1 is down: Bad key. Next attempt at 2026-01-01T00:00:01.000Z.',
    });
    expect(model.calls).toEqual([]);
  });

  it('lets exactly one call try after the pause, and closes when it succeeds', async () => {
    now += 1000;
    const { opened, release } = gate();
    model.behavior = () => opened;
    const trial = ask('trial');
    await expect(ask('other')).rejects.toThrow('is down');
    await expect(ask('another')).rejects.toThrow('is down');
    release();
    await trial;
    expect(model.calls).toEqual([['trial']]);
    expect(breaker.state().state).toBe('ready');
    await ask('next');
    expect(model.calls).toHaveLength(2);
  });

  it('asks at once for a caller who wants no pause, and closes when that succeeds', async () => {
    const retry = () => breaker.embed(['a', 'b'], { as: 'document', retry: true });
    await expect(retry()).rejects.toThrow('Bad key');
    expect([model.calls, breaker.state().state]).toEqual([[['a'], ['tool']], 'down']);
    model.behavior = async () => undefined;
    expect(await retry()).toHaveLength(2);
    expect(breaker.state().state).toBe('ready');
  });

  it('doubles the pause with every failed trial, up to the longest, and starts afresh after a success', async () => {
    const pauses: number[] = [];
    for (let trial = 0; trial < 7; trial++) {
      const { retryAt } = breaker.state();
      pauses.push(Date.parse(retryAt!) - now);
      now = Date.parse(retryAt!);
      await ask().catch(() => undefined);
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(model.calls.filter(([text]) => text === 'q')).toHaveLength(7);
    expect(breaker.state().error).toBe('Bad key. Down since 2026-01-01T00:00:00.000Z.');

    now += 30_000;
    model.behavior = async () => undefined;
    await ask();
    model.behavior = () => failing(rejected());
    await ask().catch(() => undefined);
    expect(Date.parse(breaker.state().retryAt!) - now).toBe(1000);
  });

  it('tries with one text of a long call, then embeds the rest', async () => {
    now += 1000;
    model.behavior = async () => undefined;
    const vectors = await breaker.embed(['a', 'bb', 'ccc'], { as: 'document' });
    expect(vectors.map((vector) => vector[0])).toEqual([1, 2, 3]);
    expect(model.calls).toEqual([['a'], ['bb', 'ccc']]);
  });

  it('lets the next call try when a trial is given up by its caller', async () => {
    now += 1000;
    model.behavior = ({ signal }) => until(signal);
    const stop = new AbortController();
    const trial = ask('given up', stop.signal);
    stop.abort(new Error('enough'));
    await expect(trial).rejects.toThrow('enough');
    expect(breaker.state().state).toBe('down');
    model.behavior = async () => undefined;
    await ask('next');
    expect(breaker.state().state).toBe('ready');
  });

  it('learns nothing new from calls that began before it opened', async () => {
    model.behavior = async () => undefined;
    now += 1000;
    await ask();
    const { opened, release } = gate();
    model.behavior = () => opened;
    const early = [ask('1'), ask('2'), ask('3')];
    release(down());
    await Promise.allSettled(early);
    expect(Date.parse(breaker.state().retryAt!) - now).toBe(1000);
  });
});

describe('time-outs', () => {
  it('end a question that takes too long, and count as failures', async () => {
    open({ queryTimeoutMs: 10 });
    await failOnce();
    model.behavior = () => new Promise(() => undefined);
    await expect(ask()).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: 'The embedder scripted/model/1 did not answer within 10 ms.',
    });
    expect(breaker.state().state).toBe('down');
  });

  it('stop the work of a question nobody waits for', async () => {
    open({ queryTimeoutMs: 10 });
    let reason: unknown;
    model.behavior = ({ signal }) =>
      until(signal).catch((thrown: unknown) => {
        reason = thrown;
        throw thrown;
      });
    await expect(ask()).rejects.toThrow('did not answer');
    expect(reason).toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
  });

  it('do not touch documents', async () => {
    open({ queryTimeoutMs: 5 });
    model.behavior = () => new Promise((resolve) => setTimeout(resolve, 40));
    expect(await breaker.embed(['document'], { as: 'document' })).toHaveLength(1);
  });
});

describe('a model that is still loading', () => {
  beforeEach(async () => {
    open({ queryTimeoutMs: 20 });
    await failOnce();
    model.loading = true;
  });

  it('keeps one question waiting, once, and is no failure', async () => {
    const { opened, release } = gate();
    model.behavior = () => opened;
    expect(breaker.state().state).toBe('loading');
    await expect(ask('first')).rejects.toThrow('still loading');
    await expect(ask('second')).rejects.toThrow('still loading');
    expect(model.calls).toEqual([['first']]);
    model.loading = false;
    release();
    await ask('third');
    expect(breaker.state().state).toBe('ready');
  });

  it('opens the breaker when the loading fails after all', async () => {
    const { opened, release } = gate();
    model.behavior = () => opened;
    await expect(ask()).rejects.toThrow('still loading');
    model.loading = false;
    release(down());
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(breaker.state()).toMatchObject({ state: 'down', error: expect.stringContaining('No route.') });
  });
});

describe('warm', () => {
  it('opens the breaker when it fails and closes it when it works', async () => {
    model.warm = () => failing(down());
    await expect(breaker.warm()).rejects.toThrow('No route.');
    await expect(ask()).rejects.toMatchObject({ message: expect.stringContaining('is down'), hint: 'Plug it in.' });
    model.warm = async () => undefined;
    await breaker.warm();
    expect(breaker.state().state).toBe('ready');
  });

  it('says nothing about an embedder that has nothing to warm', async () => {
    model.behavior = () => failing(rejected());
    await ask().catch(() => undefined);
    await breaker.warm();
    expect(breaker.state().state).toBe('down');
  });
});

describe('a model that does not load', () => {
  it('opens the breaker at once and for the longest pause: the next question costs nothing', async () => {
    const missing = new LoadFailure('The model is not there.', { hint: 'Fetch it.' });
    model.behavior = () => failing(missing);
    await expect(ask()).rejects.toBe(missing);
    for (let i = 0; i < 50; i++) {
      now += 500;
      await expect(ask(`q${i}`)).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE', hint: 'Fetch it.' });
    }
    expect(model.calls).toHaveLength(1);
    now += 30_000;
    model.behavior = async () => undefined;
    expect(await ask('abc')).toEqual([Float32Array.of(3)]);
    expect(breaker.state().state).toBe('ready');
  });
});

import { describe, expect, it } from 'vitest';
import type { Health } from '../../registry/contract/registry.ts';
import { toTerminal } from '../terminal/terminal.ts';
import { watchVectors } from './vector-watch.ts';

type State = Health['embedder']['state'];

/** Looks at a server whose vectors are missing in these numbers, one after the other, the last for ever. */
async function watched(
  looks: readonly (readonly [number, State])[],
  isTTY: boolean,
  stopAfter = Number.POSITIVE_INFINITY,
) {
  const written: string[] = [];
  const logged: unknown[] = [];
  const stop = new AbortController();
  const err = toTerminal({ write: (text: string) => written.push(text), isTTY }, { TERM: 'dumb' });
  let look = 0;
  const health = async () => {
    const [missing, state] = looks[Math.min(look++, looks.length - 1)]!;
    if (look > stopAfter) stop.abort('SIGTERM');
    const index = {
      entities: 3,
      units: 9,
      vectors: 9 - missing,
      missing_vectors: missing,
      stale_vectors: 0,
      by_type: {},
    };
    return { index, embedder: { id: 'a', state } };
  };
  const logger = { info: (facts: object, message: string) => logged.push([facts, message]) };
  await watchVectors({ out: err, err, env: {}, signal: stop.signal }, { health, logger, everyMs: 1 });
  return { text: written.join(''), logged };
}

describe('watchVectors', () => {
  it('says once on a terminal that all are there', async () => {
    const { text, logged } = await watched(
      [
        [9, 'loading'],
        [9, 'ready'],
        [4, 'ready'],
        [0, 'ready'],
      ],
      true,
    );
    expect(text).toMatch(/(^|\n)Ready: all 9 vectors are there\.\n$/);
    expect(text.match(/Ready/g)).toHaveLength(1);
    expect(logged).toEqual([]);
  });

  it('logs it elsewhere, and nothing besides', async () => {
    const { text, logged } = await watched(
      [
        [9, 'ready'],
        [4, 'ready'],
        [0, 'ready'],
      ],
      false,
    );
    expect([text, logged]).toEqual(['', [[{ vectors: 9 }, 'all vectors are there']]]);
  });

  it('waits for a model that is down', async () => {
    const { text } = await watched(
      [
        [9, 'down'],
        [9, 'down'],
        [9, 'ready'],
        [0, 'ready'],
      ],
      true,
    );
    expect(text).toContain('Ready: all 9 vectors are there.');
  });

  it.each([
    ['none is missing', [[0, 'ready']]],
    ['there will be none', [[9, 'off']]],
  ] as const)('says nothing where %s', async (_, looks) => {
    for (const isTTY of [true, false]) expect(await watched(looks, isTTY)).toEqual({ text: '', logged: [] });
  });

  it('ends without a word when the server stops', async () => {
    expect(await watched([[9, 'down']], true, 3)).toEqual({ text: '', logged: [] });
  });
});

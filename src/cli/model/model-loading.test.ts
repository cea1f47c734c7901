import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DowserError } from '../../model/errors/errors.ts';
import { loadInBackground } from './model-loading.ts';

function watched() {
  const said: unknown[] = [];
  const logger = { info() {}, warn: (facts: object, message: string) => said.push([facts, message]), error() {} };
  return { said, logger, stop: new AbortController() };
}
const failing = { warm: () => Promise.reject(new DowserError('MODEL_CORRUPT', 'The model is damaged.')) };
const NEWS = [{ code: 'MODEL_CORRUPT' }, 'model not loaded'];

describe('loadInBackground', () => {
  it('says that a model cannot be loaded once the server has started', async () => {
    const { said, logger, stop } = watched();
    const loading = loadInBackground(failing);
    await setImmediate();
    loading.report(logger, stop.signal);
    await setImmediate();
    expect(said).toEqual([NEWS]);
  });

  it('says so too where it turns out later', async () => {
    const { said, logger, stop } = watched();
    let fail = () => {};
    const until = new Promise<void>((resolve) => {
      fail = resolve;
    });
    loadInBackground({ warm: () => until.then(failing.warm) }).report(logger, stop.signal);
    await setImmediate();
    expect(said).toEqual([]);
    fail();
    await setImmediate();
    expect(said).toEqual([NEWS]);
  });

  it('says nothing of a model that was loaded, nor of one that was dropped when the server stopped', async () => {
    const { said, logger, stop } = watched();
    loadInBackground({ warm: async () => {} }).report(logger, stop.signal);
    stop.abort('SIGTERM');
    loadInBackground(failing).report(logger, stop.signal);
    await setImmediate();
    expect(said).toEqual([]);
  });
});

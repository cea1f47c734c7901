import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseSettings, type SettingsInput } from '../../config.ts';
import { parseEntity } from '../../model/entity.ts';
import type { Registry } from '../../registry/contract/registry.ts';
import { toTerminal } from '../terminal/terminal.ts';
import { type AskedSet, withFilledRegistry } from './filled-registry.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-fill-'));
  vi.stubEnv('TMPDIR', dir);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true });
});

const { entity } = parseEntity({ type: 'skill', path: 'a', name: 'a' });
const set: AskedSet = { name: 'small', entities: [entity], queries: [{ text: 'a' }] };

function fill<T>(
  use: (registry: Registry) => Promise<T>,
  { vectors = true, signal = new AbortController().signal, ...settings }: SettingsInput & FillFor = {},
) {
  const silent = toTerminal({ write() {} }, {});
  const local = parseSettings({ data_dir: join(dir, 'data'), embeddings_provider: 'off', ...settings });
  return withFilledRegistry({ out: silent, err: silent, env: {}, signal }, { settings: local, set, vectors }, use);
}
interface FillFor {
  readonly vectors?: boolean;
  readonly signal?: AbortSignal;
}
const stores = async () => (await readdir(dir)).filter((name) => name.startsWith('dowser-eval-'));

describe('withFilledRegistry', () => {
  it('lends a registry that holds the set, and leaves nothing of it behind', async () => {
    const seen = await fill(async (registry) => {
      const { index } = await registry.health();
      return [index.entities, (await stores()).length];
    });
    expect(seen).toEqual([1, 1]);
    expect(await stores()).toEqual([]);
  });

  it('leaves nothing behind when the embedder cannot be opened, the use fails or a signal comes', async () => {
    const unknown = { embeddings_provider: 'local', embeddings_model_name: 'no-such-model' } as const;
    await expect(fill(async () => 0, unknown)).rejects.toMatchObject({ code: 'INVALID_SETTING' });
    await expect(fill(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(fill(async () => 0, { signal: AbortSignal.abort('SIGTERM') })).rejects.toBe('SIGTERM');
    expect(await stores()).toEqual([]);
  });

  it('does without a model that nothing is asked of', async () => {
    const health = await fill((registry) => registry.health(), {
      vectors: false,
      embeddings_provider: 'local',
      models_dir: join(dir, 'no-models'),
    });
    expect(health.embedder.state).toBe('off');
  });
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { registryOver } from '../../../test/support/registry-over.ts';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { DeniedToolView } from './denied-tools.ts';

const RULES = new Map([['/mail', ['burn_letter']]]);

it('makes no search go ahead of the first reading of the rules', async () => {
  const engine = new MemoryEngine({ embedder: null });
  const registry = registryOver(engine, null);
  const tools = [{ name: 'send_letter' }, { name: 'burn_letter' }];
  await registry.put({ type: 'mcp_server', path: '/mail', name: 'Mail', tools });
  let isRead = () => {};
  const reading = new Promise<void>((resolve) => {
    isRead = resolve;
  });
  const view = new DeniedToolView(engine.store, async () => {
    await reading;
    return RULES;
  });
  const both = [view.read(), view.read()];
  isRead();
  for (const { units } of await Promise.all(both)) expect(units).toEqual(['mcp_server:/mail#tool:burn_letter']);
  await registry.close();
});

it('shows nothing as long as the rules were never read, and keeps them when they can no longer be', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const engine = new MemoryEngine({ embedder: null });
  const registry = registryOver(engine, null);
  await registry.put({ type: 'mcp_server', path: '/mail', name: 'Mail', tools: [{ name: 'burn_letter' }] });
  let read = async (): Promise<typeof RULES> => {
    throw new DowserError('INVALID_FILE', 'calls.json cannot be read.');
  };
  const view = new DeniedToolView(engine.store, () => read());
  for (let n = 0; n < 2; n++) await expect(view.read()).rejects.toMatchObject({ code: 'INVALID_FILE' });
  const broken = read;
  read = async () => RULES;
  const { units } = await view.read();
  expect(units).toEqual(['mcp_server:/mail#tool:burn_letter']);
  read = broken;
  vi.advanceTimersByTime(60_000);
  expect((await view.read()).units).toEqual(units);
  await registry.close();
});

import { expect, it } from 'vitest';
import { registryOver } from '../../../test/support/registry-over.ts';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
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

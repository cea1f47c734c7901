import { afterAll, describe, expect, it } from 'vitest';
import { trackerTools } from '../../../test/support/tracker-tools.ts';
import { intelligentToolFinder } from './intelligent-tool-finder.ts';
import { searchRegistry } from './search-registry.ts';

const { registry, run, unsurely } = await trackerTools();
afterAll(() => registry.close());

describe('the registry’s own tools', () => {
  it('group the results, with a receipt of those not shown', async () => {
    const { structured } = await run(searchRegistry, {
      query: 'issues',
      max_results: 1,
      include_discovery_receipt: true,
    });
    const shown = [structured.servers, structured.tools, structured.agents, structured.skills].flat();
    const receipt = structured.discovery_receipt as { withheld: number; withheld_candidates: readonly unknown[] };
    expect(structured).toMatchObject({ status: 'success', query: 'issues', discovery_receipt: { exposed: 1 } });
    expect(structured.total_servers).toBe(structured.servers.length);
    expect(shown.length).toBeGreaterThan(0);
    expect(receipt.withheld).toBeGreaterThan(1);
    expect(receipt.withheld_candidates.length).toBeLessThanOrEqual(5);
  });

  it('find tools as a flat list with the server’s name and path', async () => {
    const { structured } = await run(intelligentToolFinder, { query: 'create an issue', top_n: 1 });
    expect(structured.results).toEqual([
      { tool_name: 'create_issue', server_name: 'Tracker', description: 'Create an issue', score: 1, path: '/tracker' },
    ]);
    expect([structured.total_results, structured.no_match]).toEqual([1, false]);
  });

  it('find nothing without a match, even if something is near', async () => {
    const finder = await unsurely(intelligentToolFinder, { query: 'create an issue' });
    expect(finder.structured).toMatchObject({ status: 'success', results: [], total_results: 0, no_match: true });
    expect(finder.text).toMatch(/^No match in this registry\.\nNote: No embedding model[^\n]*$/);
    const search = await unsurely(searchRegistry, { query: 'create an issue', include_discovery_receipt: true });
    expect(search.structured).toMatchObject({ servers: [], tools: [], no_match: true, total_servers: 0 });
    expect(search.structured.discovery_receipt).toMatchObject({ exposed: 0, withheld: 0 });
    expect(search.text).toBe(finder.text);
  });
});

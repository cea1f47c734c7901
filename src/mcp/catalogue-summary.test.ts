import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../test/surface/memory-registry.ts';
import { type Catalogue, toCatalogue } from './catalogue.ts';
import { CatalogueSummary, SUMMARY_MAX_TOKENS, summaryText } from './catalogue-summary.ts';
import { instructions } from './create-mcp-server.ts';
import { countTokens } from './token-count.ts';

const names = (count: number) => Array.from({ length: count }, (_, i) => [`namespace-${i}`, 2000 - i] as const);

describe('the text about a catalogue', () => {
  it('says what there is, in whole words', () => {
    expect(summaryText({ mcp_server: 1, skill: 2 }, 3, [], [])).toBe('It holds 1 MCP server with 3 tools, 2 skills.');
    expect(summaryText({}, 0, [], [])).toBe('The registry is empty.');
  });

  it('rounds large counts, so that it does not change with every write', () => {
    const text = (count: number) => summaryText({ mcp_server: count }, 0, [], []);
    expect(text(9738)).toBe('It holds 9,700+ MCP servers.');
    expect(text(9739)).toBe(text(9738));
  });

  it('names as many namespaces and topics as fit, and never costs more', () => {
    const every = {
      mcp_server: 9738,
      tool: 12_345,
      virtual_server: 77,
      a2a_agent: 456,
      skill: 1467,
      package: 9,
      memory: 1,
      document: 3,
    };
    const text = summaryText(every, 32_499, names(20), names(20));
    expect(countTokens(text)).toBeLessThanOrEqual(SUMMARY_MAX_TOKENS);
    expect(countTokens(instructions(text))).toBeLessThan(150);
    expect(summaryText({ mcp_server: 9 }, 9, names(4), [])).toContain('Namespaces: namespace-0 (2,000+), namespace-1');
  });
});

describe('a summary', () => {
  /** A catalogue that counts how often it is read, and a clock that only moves by hand. */
  async function watched() {
    const registry = await memoryRegistry();
    let reads = 0;
    let now = 0;
    const inner = toCatalogue(registry);
    const catalogue: Catalogue = {
      ...inner,
      page: (query) => {
        if (query.type === 'mcp_server') reads++;
        return inner.page(query);
      },
    };
    const summary = new CatalogueSummary(catalogue, () => now);
    return { registry, summary, reads: () => reads, wait: (ms: number) => (now += ms) };
  }

  it('is read once for many who ask at the same time', async () => {
    const { summary, reads } = await watched();
    await Promise.all([summary.current(), summary.current(), summary.current()]);
    expect(reads()).toBe(1);
  });

  it('is read again when the catalogue has changed, and not before a while', async () => {
    const { registry, summary, reads, wait } = await watched();
    expect(await summary.current()).toBe('The registry is empty.');
    await registry.put({ type: 'skill', path: '/s', name: 's' });
    expect(await summary.current()).toBe('The registry is empty.');
    wait(3000);
    await summary.current();
    await expect.poll(() => summary.current()).toBe('It holds 1 skill.');
    wait(3000);
    await summary.current();
    expect(reads()).toBe(2);
  });

  it('sees a change that counts do not show, only later', async () => {
    const { registry, summary, wait } = await watched();
    const put = (tag: string) =>
      registry.putMany(
        ['a', 'b', 'c', 'd', 'e', 'f'].map((path, i) => ({ type: 'tool', path, name: path, tags: [`${tag}${i % 3}`] })),
      );
    await put('old');
    expect(await summary.current()).toContain('old0 (2)');
    await put('new');
    wait(300_001);
    await summary.current();
    await expect.poll(() => summary.current()).toContain('new0 (2)');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { leaf, sum } from '../../model/answer/explanation.ts';
import type { SearchResponse, SearchResult } from '../../model/answer/result.ts';
import { explanationTree } from './explanation-tree.ts';
import { searchAnswer } from './search-answer.ts';
import { toTerminal } from './terminal.ts';
import { textWidth } from './text-width.ts';

const terminal = (columns: number) => toTerminal({ write: () => true, columns }, {});

const hit = (change: Partial<SearchResult> = {}): SearchResult => ({
  entity_type: 'mcp_server',
  path: '/fetch',
  name: 'Fetch',
  description: 'Reads a web page\nand gives it back as Markdown.',
  tags: [],
  relevance_score: 0.97,
  similarity_score: 0.5,
  confidence: 0.9,
  matched_fields: [],
  match_context: null,
  health_status: 'unknown',
  drifted: false,
  matched_unit: { kind: 'card', key: 'card', title: 'Fetch' },
  ...change,
});

async function answerWith(results: SearchResult[]): Promise<SearchResponse> {
  return { ...(await (await memoryRegistry()).search({ query: 'x' })), search_mode: 'hybrid', results };
}

describe('searchAnswer', () => {
  it('says which stage lost what was missed, on one line each', async () => {
    const why_not = {
      id: 'skill:a/b',
      stage: 'filter',
      reason: 'Its status\nis draft.',
      rank: null,
      hint: 'Set it.',
    } as const;
    const lost = searchAnswer({ ...(await answerWith([hit()])), why_not }, terminal(80));
    expect(lost).toMatch(/\nskill:a\/b was lost at: filter\.\n {2}Its status is draft\.\n {2}Set it\.\n$/);
    const shown = { ...why_not, stage: 'shown', hint: null } as const;
    expect(searchAnswer({ ...(await answerWith([hit()])), why_not: shown }, terminal(80))).toContain(
      'skill:a/b is shown.',
    );
  });

  it('shows rank, score, type, name, path, matched part and description', async () => {
    const tool = { kind: 'tool', key: 'tool:fetch_page', title: 'fetch_page' } as const;
    const results = [
      hit(),
      hit({ entity_type: 'skill', path: 'a/b', name: 'Read', relevance_score: 0.4, matched_unit: tool }),
    ];
    expect(searchAnswer(await answerWith(results), terminal(80))).toBe(
      `2 results (mode hybrid, preset hybrid)
1  ▰▰▰▰▰  90%  mcp_server  Fetch  /fetch
   Reads a web page and gives it back as Markdown.
2  ▰▰▱▱▱  90%  skill       Read  a/b > tool fetch_page
   Reads a web page and gives it back as Markdown.
`,
    );
  });

  it('never writes a line wider than the terminal', async () => {
    const long = hit({ name: '長い名前'.repeat(20), path: `/${'p'.repeat(200)}`, description: 'word '.repeat(100) });
    for (const columns of [40, 80, 120]) {
      const lines = searchAnswer(await answerWith([long]), terminal(columns)).split('\n');
      const isPath = (line: string) => line.trim() === long.path;
      expect(lines.join('').replaceAll(/\s/g, '')).toContain(long.name);
      for (const line of lines) if (!isPath(line)) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    }
  });

  it.each([
    [80, '1  ▰▰▰▰▰  90%  mcp_server  Fetch  /tools/fetch > tool fetch_page'],
    [60, '1  ▰▰▰▰▰  90%  mcp_server  Fetch\n   /tools/fetch > tool fetch_page'],
    [40, '1  ▰▰▰▰▰  90%  mcp_server  Fetch\n   /tools/fetch > tool fetch_page'],
    [30, '1  ▰▰▰▰▰  90%  mcp_server\n   Fetch\n   /tools/fetch\n   > tool fetch_page'],
    [14, '1  ▰▰▰▰▰  90%  mcp_server\n   Fetch\n   /tools/fetch'],
  ])('never cuts a name, a path or a part, in %i columns', async (columns, head) => {
    const tool = { kind: 'tool', key: 'tool:fetch_page', title: 'fetch_page' } as const;
    const text = searchAnswer(await answerWith([hit({ path: '/tools/fetch', matched_unit: tool })]), terminal(columns));
    expect(text.split('\n').slice(1).join('\n')).toMatch(head);
  });

  it('breaks a name that is longer than a line at its blanks', async () => {
    const long = hit({ entity_type: 'tool', name: 'Create a review comment of a pull request or of an issue' });
    expect(searchAnswer(await answerWith([long]), terminal(40))).toContain(
      `1  ▰▰▰▰▰  90%  tool
   Create a review comment of a pull
   request or of an issue
   /fetch
`,
    );
  });

  it.each([
    [10, 0, undefined, '10 results'],
    [10, 0, 10, '10 results'],
    [10, 0, 24, '10 of 24 results'],
    [4, 20, 24, '4 of 24 results after the first 20'],
    [10, 0, 500, '10 of 500 results'],
    [10, 0, 2500, '10 of more than 500 results'],
    [0, 40, 24, '0 results'],
  ])('counts %i after %i of %s', async (shown, offset, total, expected) => {
    const answer = await answerWith(Array.from({ length: shown }, () => hit()));
    const options = { offset, ...(total === undefined ? {} : { total }) };
    expect(searchAnswer(answer, terminal(80), options).split(' (')[0]).toBe(expected);
  });

  it('says so when nothing fits, and what comes nearest with how sure that is', async () => {
    const nothing = { ...(await answerWith([])), no_match: true };
    expect(searchAnswer(nothing, terminal(80))).toContain('Nothing fits. Try other words');
    expect(searchAnswer(nothing, terminal(80), { isEmpty: true })).toMatch(
      /^0 results .*\nAdd something with `dowser add`/,
    );
    const near = { ...nothing, nearest: [hit({ relevance_score: 1, confidence: 0.02 })] };
    expect(searchAnswer(near, terminal(80))).toBe(
      `0 results (mode hybrid, preset hybrid)
Nothing fits. The nearest, with their confidence:
1  ▱▱▱▱▱   2%  mcp_server  Fetch  /fetch
   Reads a web page and gives it back as Markdown.
`,
    );
    expect(searchAnswer(near, terminal(80), { minConfidence: 0.9 })).toContain('Nothing has a confidence of 90%.');
    expect(searchAnswer(near, terminal(80), { minConfidence: 0.999 })).toContain('a confidence of 99.9%.');
  });

  it('calls nothing sure that is not, nor impossible', async () => {
    const results = [hit({ confidence: 0.998 }), hit({ relevance_score: 0.997, confidence: 0.001 })];
    const text = searchAnswer(await answerWith(results), terminal(80));
    expect(text).toContain('▰▰▰▰▰ >99%');
    expect(text).toContain('▰▰▰▰▰  <1%');
  });

  it('says so if the first result has a low confidence, unless only tags were asked for', async () => {
    const unsure = await answerWith([hit({ confidence: 0.06 }), hit({ path: '/b', confidence: 0.5 })]);
    const doubt = 'Low confidence: the best match is 6%.';
    expect(searchAnswer(unsure, terminal(80))).toContain(doubt);
    for (const query of ['', '#web #page']) {
      expect(searchAnswer({ ...unsure, query }, terminal(80))).not.toContain('Low confidence');
    }
    expect(searchAnswer(await answerWith([hit({ confidence: 0.5 })]), terminal(80))).not.toContain('Low confidence');
  });

  it('marks what is dead, in a line that still fits', async () => {
    const dead = hit({ health_status: 'unhealthy', path: `/${'p'.repeat(100)}` });
    const [, line = ''] = searchAnswer(await answerWith([dead]), terminal(60)).split('\n');
    expect(line).toBe('1  ▰▰▰▰▰  90%  mcp_server  dead  Fetch');
    expect(textWidth(line)).toBeLessThanOrEqual(60);
  });

  it('marks what is deprecated or not released, but not what is active', async () => {
    for (const status of ['deprecated', 'draft', 'beta'] as const) {
      const [, line] = searchAnswer(await answerWith([hit({ status })]), terminal(80)).split('\n');
      expect(line).toBe(`1  ▰▰▰▰▰  90%  mcp_server  ${status}  Fetch  /fetch`);
    }
  });

  it('goes on counting on a later page, and says when there is none', async () => {
    const page = searchAnswer(await answerWith([hit({ confidence: 0.1 })]), terminal(80), { offset: 20 });
    expect(page).toMatch(/^1 result after the first 20 \(.*\)\n21 {2}▰/);
    const past = { ...(await answerWith([])), total_candidates: 7 };
    expect(searchAnswer(past, terminal(80), { offset: 20 })).toContain('There are no results this far down.');
  });

  it('rates each by its confidence, whatever its score is beside the others, and counts by facet', async () => {
    const facets = { entity_type: [{ value: 'mcp_server', count: 1200 }], tags: [] };
    const text = searchAnswer({ ...(await answerWith([hit()])), facets }, terminal(80));
    expect(text).toContain('1  ▰▰▰▰▰  90%  mcp_server');
    const unsure = searchAnswer(await answerWith([hit({ relevance_score: 1, confidence: 0.05 })]), terminal(80));
    expect(unsure).toContain('1  ▰▰▰▰▰   5%  mcp_server');
    expect(unsure).not.toContain('100%');
    expect(text).toMatch(/\nentity_type {2}mcp_server 1,200\ntags {9}none\n$/);
  });

  it('lets no stored text steer the terminal', async () => {
    const evil = hit({ name: 'a\u001b[2Jb', path: '/\u001b]0;x\u0007', description: '\u001b[31m' });
    expect(searchAnswer(await answerWith([evil]), terminal(80))).not.toContain('\u001b');
  });

  it('shows what a score is made of when the answer says so', async () => {
    const explanation = sum('relevance', [
      leaf('vector', 0.72, { rank: 2, score: 0.5, unit: 'Fetch', unit_kind: 'card' }),
      leaf('keyword', 0.25, { rank: 1, weight: 0.3, score: 4, unit: 'fetch_\u001b[2Jpage', unit_kind: 'tool' }),
    ]);
    const text = searchAnswer(await answerWith([hit({ explanation })]), terminal(80));
    expect(text).toContain(
      `    0.9700  score
        0.7200  by meaning, its card  (rank 2, cosine 0.5)
        0.2500  by keyword, tool fetch_ [2Jpage  (rank 1, score 4, weight 0.3)
   Shown is its card; what scored is tool fetch_ [2Jpage by keyword.
`,
    );
  });
});

describe('explanationTree', () => {
  it('shows numbers that add up, whatever was rounded', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 9 }), (values) => {
        const tree = sum(
          'all',
          values.map((value, i) => leaf(`part ${i}`, value)),
        );
        const lines = explanationTree(tree, terminal(80).style).trimEnd().split('\n');
        const [all, ...parts] = lines.map((line) => Math.round(Number.parseFloat(line) * 10_000));
        expect(parts.reduce((total, part) => total + part, 0)).toBe(all);
        parts.forEach((part, i) => {
          expect(Math.abs(part - values[i]! * 10_000)).toBeLessThan(1.5);
        });
      }),
    );
  });

  it('indents each level under the one it adds up to', () => {
    const tree = sum('all', [sum('half', [leaf('a', 0.1), leaf('b', 0.2)]), leaf('c', 0.3)]);
    expect(explanationTree(tree, terminal(80).style)).toBe(
      ' 0.6000  all\n     0.3000  half\n         0.1000  a\n         0.2000  b\n     0.3000  c\n',
    );
  });
});

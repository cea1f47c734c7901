import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidateOf, scoredUnit } from '../../../test/support/candidates.ts';
import { foundUnit } from '../../../test/support/rank-lists.ts';
import { type McpServer, parseEntity } from '../../model/entity.ts';
import { unitsOf } from '../../model/entity-types/table.ts';
import { toolScore } from '../keyword/boost/tool-score.ts';
import { rescored, type ScoredUnit, withBest } from './candidates/candidate.ts';
import { matchingTools } from './matching-tools.ts';

const QUERY = {
  registryRule: false,
  tokens: ['nothing'],
  named: false,
  namesOther: false,
  limit: 2,
  isMatch: () => true,
};

function serverOf(tools: readonly { readonly name: string; readonly description?: string }[]): McpServer {
  return parseEntity({ type: 'mcp_server', path: '/mail', name: 'Post', tools }).entity as McpServer;
}

/** A result of this server whose tools have these scores; undefined: no leg found it. */
function candidate(server: McpServer, scores: readonly (number | undefined)[], score = 1) {
  const units = unitsOf(server).filter(({ kind }) => kind === 'tool');
  const scored = units.map(({ key, title }, i): ScoredUnit => {
    const rank = scores[i] === undefined ? null : 1;
    // What a leg did not find itself may still have a score.
    return scoredUnit(foundUnit({ path: server.path, key, title }), { vectorRank: rank, score: scores[i] ?? 0.9 });
  });
  const card = scoredUnit(foundUnit({ path: server.path }), { keywordRank: 2, score: 0.5 });
  return candidateOf([card, ...scored], { score });
}

const scoresOf = (matching: readonly { readonly tool: { readonly name: string }; readonly score: number }[]) =>
  matching.map(({ tool, score }) => [tool.name, score]);

describe('matching tools', () => {
  const names = fc.array(fc.constantFrom('pack', 'pack~2', 'unpack', 'post'), { minLength: 1, maxLength: 6 });

  it('have the score of their unit, also if several tools have the same name', () => {
    fc.assert(
      fc.property(names, fc.array(fc.option(fc.nat(50)), { minLength: 6, maxLength: 6 }), (tools, parts) => {
        const server = serverOf(tools.map((name, i) => ({ name, description: `tool ${i}` })));
        const scores = tools.map((_, i) => (parts[i] === null ? undefined : parts[i]! / 100));
        const scored = matchingTools(candidate(server, scores, 0.5), server, QUERY);
        const expected = scores.flatMap((score, i) => (score === undefined ? [] : [[`tool ${i}`, score] as const]));
        expect(new Map(scored.map(({ tool, score }) => [tool.description, score]))).toEqual(new Map(expected));
        expect(scored.map(({ score }) => score)).toEqual(expected.map(([, score]) => score).sort((a, b) => b - a));
      }),
    );
  });

  it('are on the scale of results: the best tool has the score of the server', () => {
    const server = serverOf([{ name: 'send' }, { name: 'read' }, { name: 'far' }]);
    const found = candidate(server, [0.4, 0.2, undefined], 0.8);
    const best = found.units[1]!;
    const byTool = withBest(found, best);
    expect(scoresOf(matchingTools(byTool, server, QUERY))).toEqual([
      ['send', 0.8],
      ['read', 0.4],
    ]);
    // Stages after the fusion may have raised the server above its units, or have left nothing.
    expect(scoresOf(matchingTools(rescored(byTool, 3, undefined), server, QUERY))).toEqual([
      ['send', 1],
      ['read', 1],
    ]);
    expect(scoresOf(matchingTools(withBest(found, { ...best, score: 0 }), server, QUERY))).toEqual([
      ['send', 0],
      ['read', 0],
    ]);
  });

  it('are scored by toolScore if no leg found a tool, or with the registry rule', () => {
    const server = serverOf([{ name: 'pack' }, { name: 'send_letter' }, { name: 'read', description: 'A letter.' }]);
    const ask = (scores: readonly (number | undefined)[], query: Partial<typeof QUERY>) =>
      scoresOf(matchingTools(candidate(server, scores), server, { ...QUERY, tokens: ['letter'], ...query }));
    expect(ask([], {})).toEqual([
      ['send_letter', toolScore(['letter'], server.tools[1]!)],
      ['read', toolScore(['letter'], server.tools[2]!)],
    ]);
    expect(ask([0.5], {})).toEqual([['pack', 1]]);
    expect(ask([0.5], { registryRule: true })).toEqual(ask([], {}));
    expect(ask([], { tokens: ['nothing'] })).toEqual([]);
    expect(ask([], { namesOther: true })).toEqual([]);
    expect(ask([0.5], { namesOther: true })).toEqual([['pack', 1]]);
  });

  it('are scored by toolScore if the query is only the name of the server', () => {
    const server = serverOf([{ name: 'pack' }, { name: 'send_post' }]);
    const ask = (...tokens: readonly string[]) =>
      matchingTools(candidate(server, [0.5, 0.1]), server, { ...QUERY, tokens }).map(({ tool }) => tool.name);
    expect(ask('post')).toEqual(['send_post']);
    expect(ask('mail', 'post')).toEqual(['send_post']);
    expect(ask('post', 'other')).toEqual(['pack', 'send_post']);
    expect(ask()).toEqual(['pack', 'send_post']);
  });

  it('are those of a server that the query names, each by its own score, if none says a word of it', () => {
    const server = serverOf([{ name: 'pack' }, { name: 'send' }, { name: 'open' }]);
    const ask = (more: Partial<typeof QUERY>) =>
      scoresOf(
        matchingTools(candidate(server, [undefined, 0.5], 0.8), server, { ...QUERY, tokens: ['post'], ...more }),
      );
    expect(ask({ named: true })).toEqual([
      ['send', 0.4],
      ['pack', 0],
    ]);
    expect(ask({ named: true, registryRule: true })).toEqual([]);
  });

  it('are above the line of the answer', () => {
    const server = serverOf([{ name: 'pack' }, { name: 'send' }]);
    const isMatch = (_: unknown, { found }: ScoredUnit) => found.title === 'send';
    expect(
      matchingTools(candidate(server, [0.9, 0.5]), server, { ...QUERY, isMatch }).map(({ tool }) => tool.name),
    ).toEqual(['send']);
  });
});

import { describe, expect, it } from 'vitest';
import { scoredUnit } from '../../../test/support/candidates.ts';
import { foundUnit } from '../../../test/support/rank-lists.ts';
import { linear, shareOfCeiling } from '../ranking/fusion/linear.ts';
import { isPureIdentifier, LINEAR_WEIGHTS, weightsBySpecificity } from './adr-003.ts';

describe('ADR-003, option A', () => {
  const { score } = linear({ weights: LINEAR_WEIGHTS, keywordGain: shareOfCeiling(1), cosines: 'plain' });
  /** Both legs have found the unit; by keyword, 0 is no match. */
  const of = (keyword: number, vector: number) => {
    const found = foundUnit({ path: '/d', keyword: keyword === 0 ? null : keyword, vector });
    return score(scoredUnit(found, { keywordRank: keyword === 0 ? null : 1, vectorRank: 1 })) ?? Number.NaN;
  };

  it.each([
    ['Region D40', 1, 0.7, 0.79],
    ['Region D41', 0, 0.85, 0.595],
    ['Area D', 0.5, 0.6, 0.57],
  ])('gives %s, keyword %d and semantic %d, %d', (_, keyword, cosine, expected) => {
    expect(of(keyword, cosine)).toBeCloseTo(expected, 12);
  });

  it('puts the exact match first, where RRF gives a tie', () => {
    const rrf = (rank: number) => 1 / (60 + rank);
    expect(rrf(1).toFixed(4)).toBe('0.0164');
    expect(of(1, 0.7)).toBeGreaterThan(of(0, 0.85));
  });
});

describe('a leg that did not find a unit itself', () => {
  it('adds nothing to its score', () => {
    const { score, parts } = linear({ weights: LINEAR_WEIGHTS, keywordGain: shareOfCeiling(1), cosines: 'plain' });
    const found = foundUnit({ path: '/d', keyword: 1, vector: 0.5 });
    expect(score(scoredUnit(found, { vectorRank: 4 }))).toBeCloseTo(LINEAR_WEIGHTS.vector * 0.5, 12);
    expect(parts(scoredUnit(found, { vectorRank: 4 })).map(({ label }) => label)).toEqual(['vector']);
    expect(score(scoredUnit(found))).toBeNull();
  });
});

describe('ADR-003, option B', () => {
  it.each([
    ['D40', 0.7],
    ['d40', 0.7],
    ['12ab', 0.7],
    ['Tell me about D40', 0.7],
    // Exactly a half is not more than a half.
    ['Tell me about Room D40', 0.5],
    ['where in the castle is D40', 0.5],
    // The pattern must match the whole word, without punctuation and dots.
    ['What is in room D40?', 0.3],
    ['30 CFR 75.1725', 0.3],
    ['PII-2024-0042', 0.3],
    ['Aboleth', 0.3],
    ['What are the safety requirements?', 0.3],
    ['Tell me about fire hazards', 0.3],
    ['tell me about the', 0.3],
    ['', 0.3],
  ])('gives %j the keyword weight %d', (query, keyword) => {
    expect(weightsBySpecificity(query)).toEqual({ keyword, vector: Number((1 - keyword).toFixed(1)) });
  });
});

describe('ADR-003, phase 2', () => {
  it('recognizes only one capital letter with digits as an identifier', () => {
    expect(['D40', ' D40 ', 'Z123456'].every(isPureIdentifier)).toBe(true);
    expect(['d40', 'D', '40', 'DD40', 'D40?', 'D40 D41', 'PII-2024-0042', ''].some(isPureIdentifier)).toBe(false);
  });
});

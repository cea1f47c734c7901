import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { promptLikeText } from '../../../src/model/prompt-scan/prompt-like.ts';

interface Labeled {
  readonly kind?: string;
  readonly text: string;
}

const read = (name: string): readonly Labeled[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Labeled);

const attacks = read('attacks.jsonl');
const harmless = read('harmless.jsonl');
const kinds = [...new Set(attacks.map(({ kind }) => kind!))];
const found = (labeled: readonly Labeled[]) => labeled.filter(({ text }) => promptLikeText(text) !== null);
const share = (part: readonly Labeled[], all: readonly Labeled[]) => part.length / all.length;

describe('the labeled set', () => {
  it('has at least 200 attacks of 20 kinds, 10 of each, and 400 harmless texts, none twice', () => {
    expect(kinds).toHaveLength(20);
    for (const kind of kinds) expect(attacks.filter((one) => one.kind === kind).length).toBeGreaterThanOrEqual(10);
    expect(attacks.length).toBeGreaterThanOrEqual(200);
    expect(harmless.length).toBeGreaterThanOrEqual(400);
    const texts = [...attacks, ...harmless].map(({ text }) => text);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('is told apart: recall of at least 0.9, at most 2 % false alarms', () => {
    const missed = attacks
      .filter((one) => promptLikeText(one.text) === null)
      .map(({ kind, text }) => `${kind}: ${text}`);
    expect(share(found(attacks), attacks), missed.join('\n')).toBeGreaterThanOrEqual(0.9);
    const alarms = found(harmless).map(({ text }) => text);
    expect(share(found(harmless), harmless), alarms.join('\n')).toBeLessThanOrEqual(0.02);
  });

  it.each(kinds)('is told apart for attacks of the kind %s: at least seven of ten', (kind) => {
    const some = attacks.filter((one) => one.kind === kind);
    expect(share(found(some), some)).toBeGreaterThanOrEqual(0.7);
  });
});

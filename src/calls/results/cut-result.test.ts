import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { countTokens } from '../../model/text/token-count.ts';
import { fitResult } from './cut-result.ts';
import { KeptResults } from './kept-results.ts';

const ID = 'ab'.repeat(16);
const text = (value: string) => ({ type: 'text', text: value });
const image = (bytes: number) => ({ type: 'image', mimeType: 'image/png', data: 'A'.repeat((bytes * 4) / 3) });
const sha256 = (value: string) => createHash('sha256').update(value).digest('hex');

it('is the result itself where it fits', () => {
  const result = { content: [text('a'), image(300)], structuredContent: { a: 1 }, _meta: { x: 1 }, isError: true };
  expect(fitResult(result, ID, 100)).toEqual({ result, isCut: false });
  expect(fitResult(result, ID, 100).result).toBe(result);
});

describe('an answer that is too long', () => {
  const long = Array.from({ length: 20_000 }, (_, at) => `line ${at} of a long answer, with ünïcode 😀`).join('\n');

  it('shows what fits, and all of it can be read on', () => {
    const result = { content: [text(long)], isError: false };
    const { result: shown, isCut } = fitResult(result, ID, 2000);
    const [first, note] = shown.content as { text: string }[];
    expect(isCut).toBe(true);
    expect(countTokens(first!.text)).toBeLessThanOrEqual(2000);
    expect(first!.text.endsWith('\n')).toBe(true);
    const from = Number(/"from_char":(\d+)/.exec(note!.text)![1]);
    expect(note!.text).toMatch(/^\[\d+ of about \d+ tokens are shown/);
    const about = Number(/of about (\d+)/.exec(note!.text)![1]);
    expect(Math.abs(about / countTokens(long) - 1)).toBeLessThan(0.05);
    const kept = new KeptResults(() => 0);
    kept.keep(ID, 'ada', result);
    let whole = first!.text;
    for (let next: number | null = from; next !== null; ) {
      const part = kept.read(ID, 'ada', next, 5000);
      whole += part.text;
      next = part.next;
    }
    expect(sha256(whole)).toBe(sha256(long));
  });

  it('says of how many tokens, to the token where it is not huge', () => {
    const some = long.slice(0, 100_000);
    const { result: shown } = fitResult({ content: [text(some), text('end')] }, ID, 2000);
    const [, note] = shown.content as { text: string }[];
    expect(note!.text).toContain(` of ${countTokens(some) + countTokens('end')} tokens are shown`);
  });

  it('leaves out structured content that does not fit, and names it', () => {
    const structuredContent = { lines: long.split('\n') };
    const result = { content: [text(JSON.stringify(structuredContent))], structuredContent };
    const { result: shown } = fitResult(result, ID, 1000);
    expect(shown).not.toHaveProperty('structuredContent');
    expect(JSON.stringify(shown.content)).toContain('repeats the text');
    const kept = new KeptResults(() => 0);
    kept.keep(ID, 'ada', result);
    expect(JSON.parse(kept.read(`${ID}.structured`, 'ada', 0, 1_000_000).text)).toEqual(structuredContent);
  });
});

describe('images', () => {
  it('never become text, and large ones can be read by themselves', () => {
    const large = image(5 * 1024 * 1024);
    const result = { content: [image(3000), large, image(3000)] };
    const { result: shown, isCut } = fitResult(result, ID, 50);
    const [first, last, note] = shown.content as { type: string; data?: string; text?: string }[];
    expect([isCut, first, last]).toEqual([true, image(3000), image(3000)]);
    expect(note!.text).toContain(`read_result {"id":"${ID}.1"}`);
    expect(note!.text!.length).toBeLessThan(300);
    const kept = new KeptResults(() => 0);
    kept.keep(ID, 'ada', result);
    expect(kept.read(`${ID}.1`, 'ada', 0, 50).block).toEqual(large);
  });
});

describe('a kept result', () => {
  it('is for its caller alone, and for ten minutes', () => {
    let now = 0;
    const kept = new KeptResults(() => now);
    kept.keep(ID, 'ada', { content: [text('secret')] });
    const unknown = expect.objectContaining({ code: 'NOT_FOUND' });
    expect(() => kept.read(ID, 'bob', 0, 100)).toThrow(unknown);
    expect(() => kept.read('00', 'ada', 0, 100)).toThrow(unknown);
    expect(() => kept.read(`${ID}.7`, 'ada', 0, 100)).toThrow(unknown);
    expect(kept.read(ID, 'ada', 0, 100).text).toBe('secret');
    now = 10 * 60_000;
    expect(() => kept.read(ID, 'ada', 0, 100)).toThrow(unknown);
  });

  it('makes room within 64 MiB, the oldest first', () => {
    const kept = new KeptResults(() => 0);
    const large = { content: [text('x'.repeat(30 * 1024 * 1024))] };
    for (const id of ['01', '02', '03']) kept.keep(id, 'ada', large);
    expect(() => kept.read('01', 'ada', 0, 100)).toThrow();
    expect(kept.read('03', 'ada', 0, 100).total).toBe(30 * 1024 * 1024);
    kept.keep('04', 'ada', { content: [text('x'.repeat(65 * 1024 * 1024))] });
    expect(() => kept.read('04', 'ada', 0, 100)).toThrow();
  });
});

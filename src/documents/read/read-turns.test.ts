import { describe, expect, it } from 'vitest';
import { type FileTurn, ReadTurns } from './read-turns.ts';

let id = 0;
const file = (caller: string, isSlow = false): FileTurn => ({ id: ++id, caller, isSlow, began: 0 });

function turnsOf(places: number, ...files: FileTurn[]): ReadTurns<FileTurn> {
  const turns = new ReadTurns<FileTurn>(places);
  for (const one of files) turns.add(one);
  return turns;
}

function beginAll(turns: ReadTurns<FileTurn>): string {
  let callers = '';
  for (let one = turns.begin(); one !== undefined; one = turns.begin()) callers += one.caller;
  return callers;
}

describe('ReadTurns', () => {
  it('leaves a place for another caller', () => {
    const turns = turnsOf(3, file('a'), file('a'), file('a'));
    expect(beginAll(turns)).toBe('aa');
    turns.add(file('b'));
    expect(beginAll(turns)).toBe('b');
  });

  it('lets callers take turns, also one that came late', () => {
    const files = [file('a'), file('a'), file('a'), file('b'), file('c')];
    const turns = turnsOf(1, ...files);
    const order: string[] = [];
    for (let one = turns.begin(); one !== undefined; one = turns.begin()) {
      order.push(one.caller);
      turns.end(one);
      if (order.length === 3) turns.add(file('d'));
    }
    expect(order.join('')).toBe('abcdaa');
  });

  it('interrupts the slow file that began last, if slow files hold every place and one waits that had no turn', () => {
    const [a, b, c] = [file('a'), file('b'), file('c')];
    const turns = turnsOf(3, a, b, c);
    beginAll(turns);
    a.isSlow = true;
    c.isSlow = true;
    turns.add(file('d'));
    expect(turns.interrupt()).toBeUndefined();
    b.isSlow = true;
    expect(turns.interrupt()).toBe(c);
    expect(beginAll(turns)).toBe('d');
    expect(turns.interrupt()).toBeUndefined();
  });

  it('interrupts a slow file of a caller for another file of the same caller', () => {
    const [first, second] = [file('a', true), file('a')];
    const turns = turnsOf(3, first, second, file('a'));
    expect(beginAll(turns)).toBe('aa');
    expect(turns.interrupt()).toBeUndefined();
    second.isSlow = true;
    expect(turns.interrupt()).toBe(second);
    expect(beginAll(turns)).toBe('a');
  });

  it('interrupts no file of another for a caller that has as many files as it may', () => {
    const [first, second, other] = [file('a'), file('a'), file('b')];
    const turns = turnsOf(3, first, second, other);
    beginAll(turns);
    for (const one of [first, second, other]) one.isSlow = true;
    turns.add(file('a'));
    expect(turns.interrupt()).toBe(second);
    expect(beginAll(turns)).toBe('a');
    expect(turns.interrupt()).toBeUndefined();
  });

  it('begins a stopped file when a slow place is free, before files that came later', () => {
    const [first, second] = [file('a', true), file('a', true)];
    const turns = turnsOf(3, first, second);
    expect(turns.begin()).toBe(first);
    expect(turns.begin()).toBeUndefined();
    turns.add(file('a'));
    turns.end(first);
    expect(turns.begin()).toBe(second);
  });

  it('interrupts nothing while nothing waits, or only slow files do', () => {
    const [first, second] = [file('a'), file('b')];
    const turns = turnsOf(2, first, second);
    beginAll(turns);
    first.isSlow = true;
    second.isSlow = true;
    expect(turns.interrupt()).toBeUndefined();
    turns.add(file('c', true));
    expect(turns.interrupt()).toBeUndefined();
  });

  it('reads one file at a time with one place', () => {
    const turns = turnsOf(1, file('a'), file('a', true));
    expect(beginAll(turns)).toBe('a');
  });
});

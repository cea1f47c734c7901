import { describe, expect, it } from 'vitest';
import { wrongAnswer } from './check-answers.ts';

const text = '/mail\nSends a letter to everybody who asked for one.\nmail';
const units = [
  { id: 'tool:/mail#card', name: 'send_mail', text, live: true },
  { id: 'tool:/fax#card', name: 'send_fax', text, live: false },
];
const whole = { id: 'tool:/mail#card', text: `send_mail\n${text}` };

describe('wrongAnswer', () => {
  it('has nothing against live units with their texts', () => {
    expect(wrongAnswer(units, { hybrid: [[whole], []], legs: [['tool:/mail#card'], []] })).toBeNull();
  });

  it('catches a hidden unit in a hybrid search, also behind a right one', () => {
    const hidden = { id: 'tool:/fax#card', text: `send_fax\n${text}` };
    expect(wrongAnswer(units, { hybrid: [[], [whole, hidden]], legs: [] })).toBe(
      "A hybrid search has 'tool:/fax#card', which is hidden.",
    );
  });

  it('catches a hidden unit in a leg', () => {
    expect(wrongAnswer(units, { hybrid: [[whole]], legs: [['tool:/mail#card', 'tool:/fax#card']] })).toBe(
      "A leg has 'tool:/fax#card', which is hidden.",
    );
  });

  it('catches an id that the corpus does not have, which could hide anything', () => {
    expect(wrongAnswer(units, { hybrid: [], legs: [['/mail']] })).toBe(
      "A leg has '/mail', which is no unit of the corpus.",
    );
  });

  it.each([
    ['nothing', ''],
    ['a name alone', 'send_mail'],
    ['another name', `send_fax\n${text}`],
    ['another text', 'send_mail\nSends a telegram to everybody who asked for one.'],
    ['a tag for a text', 'send_mail\nmail'],
  ])('catches %s in place of the text', (_, shown) => {
    expect(wrongAnswer(units, { hybrid: [[{ id: 'tool:/mail#card', text: shown }]], legs: [] })).toBe(
      "A hybrid search has 'tool:/mail#card' without its text.",
    );
  });

  it('takes a passage of a long text', () => {
    const cut = { id: 'tool:/mail#card', text: 'send_mail\n… a letter to everybody who …' };
    expect(wrongAnswer(units, { hybrid: [[cut]], legs: [] })).toBeNull();
  });
});

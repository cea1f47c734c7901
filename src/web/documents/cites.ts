/** A part of an answer: words, or the numbers of sources in brackets. */
export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'cites'; readonly numbers: readonly number[] };

const CITES = /\[(\d{1,3}(?:\s*,\s*\d{1,3}){0,20})\]/g;

/** An answer with the places that cite one of its `count` sources. Other brackets are words. */
export function answerParts(answer: string, count: number): readonly AnswerPart[] {
  const parts: AnswerPart[] = [];
  let text = '';
  let end = 0;
  for (const match of answer.matchAll(CITES)) {
    const numbers = match[1]!.split(',').map(Number);
    text += answer.slice(end, match.index);
    end = match.index + match[0].length;
    if (!numbers.every((number) => number >= 1 && number <= count)) text += match[0];
    else {
      if (text !== '') parts.push({ kind: 'text', text });
      text = '';
      parts.push({ kind: 'cites', numbers });
    }
  }
  text += answer.slice(end);
  if (text !== '') parts.push({ kind: 'text', text });
  return parts;
}

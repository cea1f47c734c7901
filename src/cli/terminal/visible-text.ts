/**
 * Characters that change what a person sees: they reverse text, hide it, or steer the terminal. Bidirectional controls,
 * zero-width characters, C1 controls, line and paragraph separators, and tags, which spell text that nothing shows.
 */
const UNSEEN = /\p{Cf}|[\u0080-\u009f\u2028\u2029]|\u034f|\u115f|\u1160|\u3164|\uffa0|[\u{e0080}-\u{e0fff}]/gu;

/** Writes them as JSON does, `\u202e`. A JSON document stays the same document. */
export function visibleText(text: string): string {
  return text.replaceAll(UNSEEN, (char) =>
    Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}

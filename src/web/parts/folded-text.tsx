import { useState } from 'preact/hooks';
import { Highlight } from './highlight.tsx';

/** A shorter text is shown whole. */
const WHOLE = 280;
/** A sentence that is longer is cut. */
const MAX_SENTENCE = 240;

interface FoldedTextProps {
  readonly text: string;
  readonly class?: string;
  /** Its words are marked. */
  readonly query?: string;
}

/** A long text behind its first sentence: the description of a server may have all of its instructions. */
export function FoldedText({ text, class: name = 'text', query = '' }: FoldedTextProps) {
  const [isOpen, setOpen] = useState(false);
  const first = text.length > WHOLE ? firstSentence(text) : text;
  return (
    <div class="folded">
      <p class={name} dir="auto">
        <Highlight text={isOpen ? text : first} query={query} />
      </p>
      {first !== text && (
        <button type="button" class="quiet-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : 'Show all of it'}
        </button>
      )}
    </div>
  );
}

/** Up to the first full stop or line break. Cut if that is far away. */
export function firstSentence(text: string): string {
  const head = text.slice(0, MAX_SENTENCE);
  const end = head.search(/[.!?。！？](?=\s)|\n/u);
  if (end > 0) return head.slice(0, end + 1).trim();
  return text.length <= MAX_SENTENCE ? text : `${head.trimEnd()}…`;
}

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { SearchIcon } from '../parts/icons.tsx';
import { takeEarlyKeys } from './early-keys.ts';

interface SearchBoxProps {
  readonly value: string;
  readonly label: string;
  readonly placeholder: string;
  readonly onType: (text: string) => void;
  /** Enter: keep this query in the history. */
  readonly onCommit?: () => void;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** `/` comes here from anywhere, the arrows go to the results and back, Escape empties it. */
export function SearchBox({ value, label, placeholder, onType, onCommit }: SearchBoxProps) {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const typed = takeEarlyKeys();
    // The browser would give it the focus too, but some keys later.
    if (document.activeElement === document.body) box.current?.focus();
    if (typed !== '') onType(value + typed);
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const input = box.current;
      if (input === null || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '/' && !isTyping(event.target)) {
        event.preventDefault();
        input.focus();
        input.select();
      } else if (event.key === 'Escape' && event.target === input) onType('');
      else if (event.key === 'Escape' && isResult(event.target)) input.focus();
      else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') moveFocus(event, input);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  return (
    <search>
      <form
        class="search-box"
        onSubmit={(event) => {
          event.preventDefault();
          onCommit?.();
        }}
      >
        <SearchIcon />
        <input
          ref={box}
          type="search"
          name="q"
          aria-label={label}
          placeholder={placeholder}
          value={value}
          autocomplete="off"
          spellcheck={false}
          maxLength={8192}
          autofocus
          onInput={(event) => onType(event.currentTarget.value)}
        />
        <span class="key" title="Press / to search">
          /
        </span>
      </form>
    </search>
  );
}

/** The links of results, in the order of the page. */
const RESULT = '[data-result]';
const isResult = (target: EventTarget | null): boolean => target instanceof Element && target.matches(RESULT);

function moveFocus(event: KeyboardEvent, input: HTMLInputElement): void {
  if (event.target !== input && !isResult(event.target)) return;
  const stops: HTMLElement[] = [input, ...document.querySelectorAll<HTMLElement>(RESULT)];
  const at = stops.indexOf(event.target as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1);
  const next = stops[at];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}

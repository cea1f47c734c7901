import type { ComponentChildren } from 'preact';
import { navigate } from '../data/navigation.ts';

/** A link to a result, which the arrow keys of the search box find. */
export function ResultLink({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  return (
    <a
      href={href}
      data-result
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        navigate(href);
      }}
    >
      {children}
    </a>
  );
}

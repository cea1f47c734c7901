import type { ComponentChildren, Ref } from 'preact';
import { navigate } from '../data/navigation.ts';

interface LinkProps {
  readonly href: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly label?: string;
  readonly isCurrent?: boolean;
  readonly anchor?: Ref<HTMLAnchorElement>;
}

/** A link of this page. A click with a modifier opens a new tab, as anywhere. */
export function Link({ href, children, class: name, label, isCurrent, anchor }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a
      href={href}
      class={name ?? ''}
      aria-label={label}
      aria-current={isCurrent === true ? 'page' : undefined}
      onClick={follow}
      ref={anchor ?? null}
    >
      {children}
    </a>
  );
}

/** A link that a publisher wrote. Anything but http is shown as text: it could be a script. */
export function OutsideLink({ href }: { readonly href: string }) {
  if (!/^https?:\/\//i.test(href)) return <bdi>{href}</bdi>;
  return (
    <a href={href} rel="noreferrer noopener nofollow" target="_blank">
      <bdi>{href}</bdi>
    </a>
  );
}

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface DisclosureProps {
  readonly summary: ComponentChildren;
  /** Shown below while it is closed. */
  readonly preview?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Its content is made when it is opened, so that a list of many stays cheap. */
export function Disclosure({ summary, preview, children }: DisclosureProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <details class="disclosure" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{summary}</summary>
        {isOpen && <div class="disclosed">{children}</div>}
      </details>
      {!isOpen && preview}
    </>
  );
}

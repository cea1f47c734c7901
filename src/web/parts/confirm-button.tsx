import { useState } from 'preact/hooks';
import type { Action } from '../data/use-load.ts';

interface ConfirmButtonProps {
  readonly label: string;
  /** What the second click does, in words. */
  readonly confirmLabel: string;
  readonly action: Action;
  readonly isSmall?: boolean;
}

/** The first click asks, the second does it. Leaving the button takes the first one back. */
export function ConfirmButton({ label, confirmLabel, action, isSmall = false }: ConfirmButtonProps) {
  const [isSure, setSure] = useState(false);
  return (
    <button
      type="button"
      class={isSmall ? 'danger small' : 'danger'}
      disabled={action.isRunning}
      onBlur={() => setSure(false)}
      onClick={() => (isSure ? action.run() : setSure(true))}
    >
      {isSure ? confirmLabel : label}
    </button>
  );
}

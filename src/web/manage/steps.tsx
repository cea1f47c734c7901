import type { ComponentChildren } from 'preact';

export interface Step {
  readonly state: 'running' | 'done' | 'failed';
  readonly text: ComponentChildren;
}

const SIGNS = { running: '…', done: '✓', failed: '✕' } as const;

/** What is under way, and what is done. */
export function Steps({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <div role="status">
      <ol class="steps">
        {steps.map(({ state, text }, at) => (
          <li key={at} class={state}>
            <span aria-hidden="true">{SIGNS[state]}</span> {text}
          </li>
        ))}
      </ol>
    </div>
  );
}

import type { ComponentChildren } from 'preact';

interface BannerProps {
  readonly tone: 'note' | 'warn' | 'bad';
  readonly children: ComponentChildren;
}

export function Banner({ tone, children }: BannerProps) {
  return (
    <div class={`banner ${tone}`} role="status">
      {children}
    </div>
  );
}

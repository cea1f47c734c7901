import type { ComponentChildren } from 'preact';

export function PageHead({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <header class="page-head">
      <h1>{title}</h1>
      <p>{children}</p>
    </header>
  );
}

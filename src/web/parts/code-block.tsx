import { CopyButton } from './copy-button.tsx';

export function CodeBlock({ text }: { readonly text: string }) {
  return (
    <div class="code-block">
      <pre>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

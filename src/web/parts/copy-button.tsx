import { useState } from 'preact/hooks';

const SHOWN_MS = 1500;

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), SHOWN_MS);
  };
  return (
    <button type="button" class="small" onClick={copy}>
      {isDone ? 'Copied' : label}
    </button>
  );
}

import { Banner } from './banner.tsx';

/** What the registry warns of, such as text that reads like an instruction to a model. */
export function Warnings({ list }: { readonly list: readonly string[] }) {
  if (list.length === 0) return null;
  return (
    <Banner tone="note">
      {list.map((warning) => (
        <p key={warning} dir="auto">
          {warning}
        </p>
      ))}
    </Banner>
  );
}

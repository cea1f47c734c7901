import { percent } from '../data/words.ts';

/** How likely a result answers the query. It is no rank: three good results may all have 30%. */
export function Confidence({ value }: { readonly value: number }) {
  const level = value >= 0.5 ? 'high' : value >= 0.1 ? 'middle' : 'low';
  return (
    <span class={`confidence ${level}`} title="How likely this answers the query. Comparable between queries.">
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="4" />
        <rect class="fill" width={Math.max(2, value * 100)} height="4" />
      </svg>
      <span>{percent(value)} confidence</span>
    </span>
  );
}

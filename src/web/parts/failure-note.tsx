import type { Failure } from '../data/api.ts';

/** What went wrong, and what to do. */
export function FailureNote({ failure }: { readonly failure: Failure | undefined }) {
  if (failure === undefined) return null;
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{failure.message}</strong> <code>{failure.code}</code>
      </p>
      {failure.hint !== undefined && <p>{failure.hint}</p>}
    </div>
  );
}

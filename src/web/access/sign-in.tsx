import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../data/api.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import type { Access } from './access.ts';

interface SignInProps {
  readonly access: Access;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Letters that a header can have. */
const SENDABLE = /^[!-~]+$/;
const UNSENDABLE: Failure = {
  code: 'INVALID_REQUEST',
  message: 'This is not a key: it has spaces or special characters.',
  hint: 'A key begins with dwsr_.',
};

export function SignInDialog({ access, isOpen, onClose }: SignInProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [key, setKey] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const byAccount = async () => {
    setRunning(true);
    setFailure(await access.signInByAccount());
    setRunning(false);
  };
  const submit = async () => {
    const given = key.trim();
    if (given === '' || isRunning) return;
    if (!SENDABLE.test(given)) return setFailure(UNSENDABLE);
    setRunning(true);
    const refused = await access.signIn(given);
    setRunning(false);
    setFailure(refused);
    if (refused !== undefined) return;
    setKey('');
    onClose();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="sign-in" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <h2 id="sign-in">Sign in</h2>
        {access.wasRefused !== undefined && (
          <p>
            <strong>
              {access.wasRefused === 'key'
                ? 'The key of this tab is no longer accepted.'
                : 'Your sign-in has ended. Sign in again.'}
            </strong>
          </p>
        )}
        {access.hasAccounts && (
          <p>
            <button type="button" class="primary" disabled={isRunning} onClick={byAccount}>
              Sign in with your account
            </button>
          </p>
        )}
        <p class="quiet">
          {access.hasAccounts ? 'Or with' : 'With'} an API key of this server. <code>dowser key create</code> makes one.
          It is kept until this tab is closed.
        </p>
        <label class="stacked">
          <span class="legend">API key</span>
          <input
            type="password"
            value={key}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <FailureNote failure={failure ?? access.failure} />
        <div class="row">
          <button type="submit" class="primary" disabled={isRunning || key.trim() === ''}>
            Sign in
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** In place of a page that cannot be read. */
export function SignedOut({ access, onSignIn }: { readonly access: Access; readonly onSignIn: () => void }) {
  return (
    <section class="empty">
      <h1>Sign in to see this registry</h1>
      <p>This server answers callers with {access.hasAccounts ? 'an account or ' : ''}an API key.</p>
      <p class="actions">
        <button type="button" class="primary" onClick={onSignIn}>
          Sign in
        </button>
      </p>
    </section>
  );
}

/** In place of a page that the caller has no right to. */
export function MayNot({ right }: { readonly right: 'write' | 'admin' }) {
  return (
    <section class="empty">
      <h1>{right === 'write' ? 'This page needs the right to write' : 'This page is for admins'}</h1>
      <p>
        You may not do what it does. Sign in as somebody who has the scope <code>{right}</code>.
      </p>
    </section>
  );
}

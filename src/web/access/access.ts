import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';
import { createClient } from '../../client/index.ts';
import { api, type Failure, toFailure, type User } from '../data/api.ts';
import { heldSession, holdSession, REFUSED, storedKey, storeKey } from '../data/key.ts';
import { finishSignIn, signOutAtIssuer, startSignIn } from './account.ts';

export interface Access {
  /** `asking`: not known yet. `closed`: nothing can be read without a key. */
  readonly state: 'asking' | 'closed' | 'open';
  readonly user: User | undefined;
  /** Whether this server takes keys at all. */
  readonly canSignIn: boolean;
  /** Tools of registered servers can be called at all. */
  readonly canCall: boolean;
  /** Whether people sign in with an account of an issuer, too. */
  readonly hasAccounts: boolean;
  /** Tools can be tried from this page: they can be called, and the page is on the machine of its reader. */
  readonly canTry: boolean;
  /** What was not accepted any more. */
  readonly wasRefused: 'key' | 'account' | undefined;
  /** Why somebody who came back from the issuer is not signed in. */
  readonly failure: Failure | undefined;
  /** Counts sign-ins and sign-outs: whatever was loaded before is of another caller. */
  readonly turn: number;
  readonly signIn: (key: string) => Promise<Failure | undefined>;
  /** Leaves the page for the issuer, unless it fails. */
  readonly signInByAccount: () => Promise<Failure | undefined>;
  readonly signOut: () => void;
}

type Learned = Pick<
  Access,
  'state' | 'user' | 'canSignIn' | 'hasAccounts' | 'canCall' | 'canTry' | 'wasRefused' | 'failure'
>;
const UNKNOWN: Learned = {
  state: 'asking',
  user: undefined,
  canSignIn: false,
  hasAccounts: false,
  canCall: false,
  canTry: false,
  wasRefused: undefined,
  failure: undefined,
};

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$|\.localhost$/.test(host);

/** A server that is starting, or away. */
const RETRY_MS = 2000;

/** Asks first whether a key is needed, so that no request is refused on the way. */
async function learn(): Promise<Learned> {
  const { features } = await api.getConfig();
  const canSignIn = features.sign_in === true;
  const hasAccounts = features.account_sign_in === true;
  const canCall = features.tool_calls === true;
  const canTry = canCall && isLoopback(location.hostname);
  const closed: Learned = { ...UNKNOWN, state: 'closed', canSignIn, hasAccounts, canCall, canTry };
  const had = heldSession() !== null ? 'account' : storedKey() !== null ? 'key' : undefined;
  if (canSignIn && features.anonymous_read !== true && had === undefined) return closed;
  try {
    return { ...closed, state: 'open', user: await api.getUser() };
  } catch (thrown) {
    if (toFailure(thrown).code !== 'UNAUTHENTICATED' || had === undefined) throw thrown;
    forget();
    return { ...(await learn()), wasRefused: had };
  }
}

function forget(): void {
  storeKey(null);
  holdSession(null);
}

export const AccessContext = createContext<Access | undefined>(undefined);

/** Who is signed in, and what may be done. */
export function useAccessState(): Access {
  const [learned, setLearned] = useState<Learned>(UNKNOWN);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isOver = false;
    let timer = 0;
    let failure: Failure | undefined;
    let isAsking = false;
    const ask = () => {
      isAsking = true;
      finishSignIn()
        .catch((thrown: unknown) => {
          failure = toFailure(thrown);
        })
        .then(learn)
        .then(
          (next) => {
            if (!isOver) setLearned({ ...next, failure });
          },
          () => {
            if (isOver) return;
            // The pages say what is wrong with the server.
            setLearned((before) => ({ ...before, state: before.state === 'asking' ? 'open' : before.state }));
            timer = window.setTimeout(ask, RETRY_MS);
          },
        )
        .finally(() => {
          isAsking = false;
        });
    };
    // What is asked now may itself be refused, and then says so.
    const again = () => {
      clearTimeout(timer);
      if (!isAsking) ask();
    };
    addEventListener(REFUSED, again);
    ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
      removeEventListener(REFUSED, again);
    };
  }, [turn]);
  const signIn = useCallback(async (key: string): Promise<Failure | undefined> => {
    try {
      await createClient({ baseUrl: location.origin, headers: { Authorization: `Bearer ${key}` } }).getUser();
    } catch (thrown) {
      return toFailure(thrown);
    }
    holdSession(null);
    storeKey(key);
    setTurn((count) => count + 1);
    return undefined;
  }, []);
  const signInByAccount = useCallback(() => startSignIn().then(() => undefined, toFailure), []);
  const signOut = useCallback(() => {
    const session = heldSession();
    forget();
    setLearned(UNKNOWN);
    setTurn((count) => count + 1);
    // An issuer that is away cannot be told: here, the tokens are gone.
    if (session !== null) signOutAtIssuer(session).catch(() => undefined);
  }, []);
  return { ...learned, turn, signIn, signInByAccount, signOut };
}

export interface Rights {
  readonly mayWrite: boolean;
  readonly isAdmin: boolean;
}

/** What to offer. The server decides again at every request. */
export function useRights(): Rights {
  const user = useContext(AccessContext)?.user;
  return { mayWrite: user?.can_modify_servers === true, isAdmin: user?.is_admin === true };
}

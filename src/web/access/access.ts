import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';
import { createClient } from '../../client/index.ts';
import { api, type Failure, toFailure, type User } from '../data/api.ts';
import { REFUSED, storedKey, storeKey } from '../data/key.ts';

export interface Access {
  /** `asking`: not known yet. `closed`: nothing can be read without a key. */
  readonly state: 'asking' | 'closed' | 'open';
  readonly user: User | undefined;
  /** Whether this server takes keys at all. */
  readonly canSignIn: boolean;
  /** Tools of registered servers can be called at all. */
  readonly canCall: boolean;
  /** Tools can be tried from this page: they can be called, and the page is on the machine of its reader. */
  readonly canTry: boolean;
  /** The stored key was not accepted. */
  readonly wasRefused: boolean;
  /** Counts sign-ins and sign-outs: whatever was loaded before is of another caller. */
  readonly turn: number;
  readonly signIn: (key: string) => Promise<Failure | undefined>;
  readonly signOut: () => void;
}

type Learned = Pick<Access, 'state' | 'user' | 'canSignIn' | 'canCall' | 'canTry' | 'wasRefused'>;
const UNKNOWN: Learned = {
  state: 'asking',
  user: undefined,
  canSignIn: false,
  canCall: false,
  canTry: false,
  wasRefused: false,
};

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$|\.localhost$/.test(host);

/** A server that is starting, or away. */
const RETRY_MS = 2000;

/** Asks first whether a key is needed, so that no request is refused on the way. */
async function learn(): Promise<Learned> {
  const { features } = await api.getConfig();
  const canSignIn = features.sign_in === true;
  const canCall = features.tool_calls === true;
  const canTry = canCall && isLoopback(location.hostname);
  const closed: Learned = { state: 'closed', user: undefined, canSignIn, canCall, canTry, wasRefused: false };
  const hadKey = storedKey() !== null;
  if (canSignIn && features.anonymous_read !== true && !hadKey) return closed;
  try {
    return { state: 'open', user: await api.getUser(), canSignIn, canCall, canTry, wasRefused: false };
  } catch (thrown) {
    if (toFailure(thrown).code !== 'UNAUTHENTICATED' || !hadKey) throw thrown;
    storeKey(null);
    return { ...(await learn()), wasRefused: true };
  }
}

export const AccessContext = createContext<Access | undefined>(undefined);

/** Who is signed in, and what may be done. */
export function useAccessState(): Access {
  const [learned, setLearned] = useState<Learned>(UNKNOWN);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isOver = false;
    let timer = 0;
    const ask = () =>
      learn().then(
        (next) => {
          if (!isOver) setLearned(next);
        },
        () => {
          if (isOver) return;
          // The pages say what is wrong with the server.
          setLearned((before) => ({ ...before, state: before.state === 'asking' ? 'open' : before.state }));
          timer = window.setTimeout(ask, RETRY_MS);
        },
      );
    const again = () => {
      clearTimeout(timer);
      ask();
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
    storeKey(key);
    setTurn((count) => count + 1);
    return undefined;
  }, []);
  const signOut = useCallback(() => {
    storeKey(null);
    setLearned(UNKNOWN);
    setTurn((count) => count + 1);
  }, []);
  return { ...learned, turn, signIn, signOut };
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

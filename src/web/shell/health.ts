import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { api, type Failure, type Health, toFailure } from '../data/api.ts';

export interface KnownHealth {
  readonly health: Health | undefined;
  readonly failure: Failure | undefined;
}

const QUIET_MS = 10_000;
const BUSY_MS = 1000;

export const HealthContext = createContext<KnownHealth>({ health: undefined, failure: undefined });
export const useHealth = (): KnownHealth => useContext(HealthContext);

/** Asks more often while something is wrong or under way, so that the banner goes when it is over. */
export function useHealthPolling(isAllowed: boolean): KnownHealth {
  const [known, setKnown] = useState<KnownHealth>({ health: undefined, failure: undefined });
  useEffect(() => {
    if (!isAllowed) return undefined;
    let timer = 0;
    let isOver = false;
    const look = async () => {
      const next = await api.health({}, { timeoutMs: QUIET_MS }).then(
        (health) => ({ health, failure: undefined }),
        (thrown) => ({ health: undefined, failure: toFailure(thrown) }),
      );
      if (isOver) return;
      setKnown((before) => ({ health: next.health ?? before.health, failure: next.failure }));
      timer = window.setTimeout(look, next.health?.status === 'healthy' ? QUIET_MS : BUSY_MS);
    };
    const soon = () => {
      clearTimeout(timer);
      look();
    };
    addEventListener(LOOK_NOW, soon);
    look();
    return () => {
      isOver = true;
      clearTimeout(timer);
      removeEventListener(LOOK_NOW, soon);
    };
  }, [isAllowed]);
  return known;
}

const LOOK_NOW = 'dowser:health';
/** For the part of the page that learns of a change first, such as a search that was answered by keyword only. */
export const lookAtHealth = (): boolean => dispatchEvent(new Event(LOOK_NOW));

import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Failure, toFailure } from './api.ts';

export interface Loaded<T> {
  readonly value: T | undefined;
  /** The last value of any key, to be shown until the next one is there. */
  readonly latest: T | undefined;
  readonly failure: Failure | undefined;
  readonly reload: () => void;
}

/** Loads when the key changes. A load that is out of date is aborted, and its answer is dropped. */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ readonly key: string; readonly value?: T; readonly failure?: Failure }>({ key });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    load(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setState({ key, value });
      },
      (thrown) => {
        if (!stop.signal.aborted) setState({ key, failure: toFailure(thrown) });
      },
    );
    return () => stop.abort();
  }, [key, turn]);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    latest: state.value,
    failure: isCurrent ? state.failure : undefined,
    reload: useCallback(() => setTurn((count) => count + 1), []),
  };
}

export interface Action {
  readonly run: () => void;
  readonly isRunning: boolean;
  readonly failure: Failure | undefined;
}

/** A button that writes: one call at a time, and what went wrong. */
export function useAction(act: () => Promise<unknown>): Action {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const run = () => {
    if (isRunning) return;
    setRunning(true);
    setFailure(undefined);
    act()
      .catch((thrown: unknown) => setFailure(toFailure(thrown)))
      .finally(() => setRunning(false));
  };
  return { run, isRunning, failure };
}

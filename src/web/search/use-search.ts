import { useEffect, useState } from 'preact/hooks';
import { api, type Failure, type SearchAnswer, type SearchBody, toFailure } from '../api.ts';
import { lookAtHealth, useHealth } from '../shell/health.ts';

/** Shorter than the pause between two keys of a fast typist, so that most keys are answered. */
const DEBOUNCE_MS = 25;
/** A model that is down is tried again by a query only, so the page asks again. */
const RETRY_MS = 2000;

export interface Searched {
  readonly answer: SearchAnswer | undefined;
  readonly failure: Failure | undefined;
  /** The answer is of an earlier question: a newer one is on its way. */
  readonly isStale: boolean;
}

interface Known {
  readonly key: string;
  readonly answer: SearchAnswer | undefined;
  readonly failure: Failure | undefined;
}

/**
 * Asks whenever the question changes, and again when the model comes or goes. The question before is aborted, so answers
 * never come out of order. The last answer stays until the next one is there.
 */
export function useSearch(body: SearchBody | null): Searched {
  const { health } = useHealth();
  const [known, setKnown] = useState<Known>({ key: '', answer: undefined, failure: undefined });
  const model = health?.embedder.state === 'down' ? 'down' : 'up';
  const key = body === null ? '' : `${model} ${JSON.stringify(body)}`;
  useEffect(() => {
    if (body === null) {
      setKnown({ key: '', answer: undefined, failure: undefined });
      return undefined;
    }
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      try {
        const answer = await api.search({ body }, { signal: stop.signal });
        if (stop.signal.aborted) return;
        setKnown({ key, answer, failure: undefined });
        if ((answer.search_mode === 'lexical-only') === (model === 'up')) lookAtHealth();
        if (model === 'down') timer = setTimeout(ask, RETRY_MS);
      } catch (thrown) {
        if (!stop.signal.aborted) setKnown({ key, answer: undefined, failure: toFailure(thrown) });
      }
    };
    timer = setTimeout(ask, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key]);
  return { answer: known.answer, failure: known.failure, isStale: known.key !== key };
}

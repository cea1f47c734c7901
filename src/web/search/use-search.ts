import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { api, type Failure, type SearchAnswer, type SearchBody, toFailure } from '../api.ts';
import { lookAtHealth, useHealth } from '../shell/health.ts';

/** While an answer is on its way, the next question waits: most of those of a fast typist are out of date by then. */
const DEBOUNCE_MS = 25;
/** Counts are asked for after a pause in typing: they cost the server several times as much as a page of results. */
const SETTLE_MS = 250;
/** A model that is down is tried again by a query only, so the page asks again. */
const RETRY_MS = 2000;

export interface Searched {
  readonly answer: SearchAnswer | undefined;
  /** The last answer with counts: of `answer`, or of the question before while somebody types. */
  readonly counted: SearchAnswer | undefined;
  readonly failure: Failure | undefined;
  /** The answer is of an earlier question: a newer one is on its way. */
  readonly isStale: boolean;
}

interface Known extends Omit<Searched, 'isStale'> {
  readonly key: string;
}

const NOTHING: Known = { key: '', answer: undefined, counted: undefined, failure: undefined };

/** The same first page, without what is counted over all matches. */
function quickly({ facets: _facets, offset: _offset, ...body }: SearchBody): SearchBody {
  return body;
}

/**
 * Asks whenever the question changes, and again when the model comes or goes. The question before is aborted, so answers
 * never come out of order. The last answer stays until the next one is there.
 */
export function useSearch(body: SearchBody | null): Searched {
  const { health } = useHealth();
  const [known, setKnown] = useState<Known>(NOTHING);
  const isFirst = useRef(true);
  const underWay = useRef(0);
  const model = health?.embedder.state === 'down' ? 'down' : 'up';
  const key = body === null ? '' : `${model} ${JSON.stringify(body)}`;
  // Before the next frame, not after it: a frame is a good part of what a keystroke may take.
  useLayoutEffect(() => {
    // An address that is opened is asked once.
    const isTyped = !isFirst.current && body?.offset === 0;
    isFirst.current = false;
    if (body === null) {
      setKnown(NOTHING);
      return undefined;
    }
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const search = async (asked: SearchBody): Promise<SearchAnswer> => {
      underWay.current += 1;
      try {
        return await api.search({ body: asked }, { signal: stop.signal });
      } finally {
        underWay.current -= 1;
      }
    };
    const ask = async () => {
      try {
        if (isTyped) {
          const answer = await search(quickly(body));
          if (stop.signal.aborted) return;
          setKnown(({ counted }) => ({ key, answer, counted, failure: undefined }));
          timer = setTimeout(askAll, SETTLE_MS);
        } else await askAll();
      } catch (thrown) {
        fail(thrown);
      }
    };
    const askAll = async () => {
      try {
        const answer = await search(body);
        if (stop.signal.aborted) return;
        setKnown({ key, answer, counted: answer, failure: undefined });
        if ((answer.search_mode === 'lexical-only') === (model === 'up')) lookAtHealth();
        if (model === 'down') timer = setTimeout(askAll, RETRY_MS);
      } catch (thrown) {
        fail(thrown);
      }
    };
    const fail = (thrown: unknown) => {
      if (!stop.signal.aborted) setKnown({ ...NOTHING, key, failure: toFailure(thrown) });
    };
    if (underWay.current > 0) timer = setTimeout(ask, DEBOUNCE_MS);
    else ask();
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key]);
  const { answer, counted, failure } = known;
  return { answer, counted, failure, isStale: known.key !== key };
}

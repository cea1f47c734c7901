import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MIN_SHOWN_CONFIDENCE } from '../../client/explanations.ts';
import { api, type EntityType, type Failure, type SearchAnswer, type SearchBody, toFailure } from '../data/api.ts';
import { TYPES } from '../data/words.ts';
import { lookAtHealth, useHealth } from '../shell/health.ts';
import { hasWords, PAGE_SIZE } from './search-state.ts';

/** While an answer is on its way, the next question waits: most of those of a fast typist are out of date by then. */
const DEBOUNCE_MS = 25;
/** Counts are asked for after a pause in typing: they cost the server several times as much as a page of results. */
const SETTLE_MS = 250;
/** A model that is down is tried again by a query only, so the page asks again. */
const RETRY_MS = 2000;

/** What comes of each type if it alone is chosen, and how many results are hidden because they hardly match. */
export interface Counts {
  readonly byType: ReadonlyMap<string, number>;
  readonly tags: readonly string[];
  readonly weak: number;
}

export interface Searched {
  readonly answer: SearchAnswer | undefined;
  /** What was asked for `answer`. */
  readonly body: SearchBody | undefined;
  /** Of `answer`, or of the question before while somebody types. */
  readonly counts: Counts | undefined;
  readonly failure: Failure | undefined;
  /** `counts` are of `answer`. */
  readonly isSettled: boolean;
  /** The answer is of an earlier question: a newer one is on its way. */
  readonly isStale: boolean;
}

type Known = Omit<Searched, 'isStale'> & { readonly key: string };

const NOTHING: Known = {
  key: '',
  answer: undefined,
  body: undefined,
  counts: undefined,
  failure: undefined,
  isSettled: false,
};

type Search = (body: SearchBody) => Promise<SearchAnswer>;

/** Asks for counts only. */
const counting = (body: SearchBody): SearchBody => ({ ...body, offset: 0, max_results: 1, facets: ['entity_type'] });

interface Settled {
  readonly answer: SearchAnswer;
  readonly body: SearchBody;
  readonly weak: number;
  /** The minimum confidence of what is shown, if there is one. */
  readonly minimum: number | undefined;
}

/**
 * A page of results. The server answers with all that may match. Unless weak matches are wanted, only what has a confidence
 * that says something is shown. Whether anything fits is decided as everywhere, and over all types.
 */
async function settle(search: Search, body: SearchBody, isWeak: boolean): Promise<Settled> {
  // Only for what is shown once the typing has stopped: counts and half a word are nothing to ask peers for.
  const full: SearchBody = { ...body, facets: ['tags'], peers: 'setting' };
  if (isWeak || !hasWords(body.query ?? ''))
    return { answer: await search(full), body: full, weak: 0, minimum: undefined };
  const strong: SearchBody = { ...full, min_confidence: MIN_SHOWN_CONFIDENCE };
  const ofAll: SearchBody = { ...counting(body), entity_types: null };
  const hasTypes = body.entity_types !== null;
  const [whole, answer, ofTypes, strongOfAll] = await Promise.all([
    search(ofAll),
    search(strong),
    hasTypes ? search(counting(body)) : undefined,
    hasTypes ? search({ ...ofAll, min_confidence: MIN_SHOWN_CONFIDENCE }) : undefined,
  ]);
  if (whole.no_match) return { answer: withPeers(whole, answer), body: full, weak: 0, minimum: undefined };
  // All matches are weak, of whatever type: the note above them says so.
  if ((strongOfAll ?? answer).total_candidates === 0) {
    return { answer: await search(full), body: full, weak: 0, minimum: undefined };
  }
  const weak = Math.max(0, (ofTypes ?? whole).total_candidates - answer.total_candidates);
  return { answer, body: strong, weak, minimum: MIN_SHOWN_CONFIDENCE };
}

/** An answer of this server alone, with what peers found for the same question. */
function withPeers(own: SearchAnswer, { peers, results, warnings }: SearchAnswer): SearchAnswer {
  if (peers === undefined) return own;
  return { ...own, peers, warnings, results: results.filter(({ origin }) => origin !== undefined) };
}

/** Of the first page, as long as nobody has asked for the whole answer: the weak ones would go a moment later. */
function withoutWeak(answer: SearchAnswer): SearchAnswer {
  const results = answer.results.filter(({ confidence }) => confidence >= MIN_SHOWN_CONFIDENCE);
  const isWhole = answer.results.length < PAGE_SIZE;
  const total_candidates = isWhole ? results.length : answer.total_candidates;
  return results.length === 0 ? answer : { ...answer, results, total_candidates };
}

/** Each type is asked for by itself, so a count is what comes. It does not depend on the types that are chosen. */
async function countTypes(search: Search, body: SearchBody, types: readonly EntityType[], minimum: number | undefined) {
  const floor = minimum === undefined ? {} : { min_confidence: minimum };
  const rows = types.map(async (type): Promise<readonly [string, number]> => {
    const { total_candidates: total } = await search({ ...counting(body), ...floor, entity_types: [type] });
    return [type, total];
  });
  return new Map((await Promise.all(rows)).filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a));
}

/**
 * Asks whenever the question changes, and again when the model comes or goes. The question before is aborted, so answers
 * never come out of order. The last answer stays until the next one is there.
 */
export function useSearch(body: SearchBody | null, isWeak: boolean): Searched {
  const { health } = useHealth();
  const [known, setKnown] = useState<Known>(NOTHING);
  const isFirst = useRef(true);
  const underWay = useRef(0);
  const counted = useRef<{ readonly key: string; readonly byType: Counts['byType'] }>(undefined);
  const byType = useRef(health?.index.by_type);
  byType.current = health?.index.by_type;
  const model = health?.embedder.state === 'down' ? 'down' : 'up';
  const key = body === null ? '' : `${model} ${isWeak} ${JSON.stringify(body)}`;
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
        return await api.search({ body: { peers: false, ...asked } }, { signal: stop.signal });
      } finally {
        underWay.current -= 1;
      }
    };
    const ask = async () => {
      try {
        if (isTyped) {
          const { offset: _offset, ...quick } = body;
          const found = await search(quick);
          const answer = isWeak ? found : withoutWeak(found);
          if (stop.signal.aborted) return;
          setKnown(({ counts }) => ({ key, answer, body: quick, counts, failure: undefined, isSettled: false }));
          timer = setTimeout(askAll, SETTLE_MS);
        } else await askAll();
      } catch (thrown) {
        fail(thrown);
      }
    };
    const count = async ({ answer, minimum }: Settled): Promise<Counts['byType']> => {
      const { entity_types: _types, offset: _offset, ...rest } = body;
      const countKey = `${model} ${minimum} ${JSON.stringify(rest)}`;
      if (answer.no_match) return new Map();
      if (counted.current?.key !== countKey) {
        counted.current = { key: countKey, byType: await countTypes(search, body, typesIn(byType.current), minimum) };
      }
      return counted.current.byType;
    };
    const askAll = async () => {
      try {
        const settled = await settle(search, body, isWeak);
        const { answer, body: asked, weak } = settled;
        if (stop.signal.aborted) return;
        setKnown(({ counts }) => ({ key, answer, body: asked, counts, failure: undefined, isSettled: false }));
        const counts = {
          byType: await count(settled),
          tags: (answer.facets?.tags ?? []).map(({ value }) => value),
          weak,
        };
        if (stop.signal.aborted) return;
        setKnown({ key, answer, body: asked, counts, failure: undefined, isSettled: true });
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
  const { key: knownKey, ...rest } = known;
  return { ...rest, isStale: knownKey !== key };
}

/** The types that the registry has. Servers have tools. Not known yet: all. */
function typesIn(byType: Readonly<Partial<Record<string, number>>> | undefined): readonly EntityType[] {
  const counts = byType ?? {};
  const has = (type: EntityType) => (counts[type] ?? 0) > 0;
  return byType === undefined ? TYPES : TYPES.filter((type) => has(type) || (type === 'tool' && has('mcp_server')));
}

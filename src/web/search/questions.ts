import { useEffect, useState } from 'preact/hooks';
import { api } from '../data/api.ts';

/** Of the home page. */
export const QUESTIONS = [
  'read a PDF file',
  'create an issue in a repository',
  'what is the weather tomorrow',
  'query a database',
  'send a message to my team',
  'search the web',
  'take notes',
  'write a test',
];
const SHOWN = 3;
const MIN_CONFIDENCE = 0.2;

/** The first of these questions that this registry answers: each is asked once. None of an empty one. */
export function useQuestions(candidates: readonly string[], isEmpty: boolean): readonly string[] {
  const [questions, setQuestions] = useState<readonly string[]>([]);
  useEffect(() => {
    if (isEmpty) return undefined;
    const stop = new AbortController();
    answerable(candidates, stop.signal).then(setQuestions, () => {
      // The page has gone, or the server: its banner says so.
    });
    return () => stop.abort();
  }, [candidates, isEmpty]);
  return questions;
}

async function answerable(candidates: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  const found: string[] = [];
  for (const query of candidates) {
    const body = { query, max_results: 1, min_confidence: MIN_CONFIDENCE, peers: false };
    const { results } = await api.search({ body }, { signal });
    if (results.length > 0) found.push(query);
    if (found.length === SHOWN) return found;
  }
  return found;
}

import { useEffect, useRef, useState } from 'preact/hooks';
import { type AnswerEvent, ask, type Failure, type Source, toFailure } from '../data/api.ts';

/** A question, and its answer as far as it is there. */
export interface Asked {
  readonly question: string;
  readonly isRunning: boolean;
  /** Undefined: not searched yet. */
  readonly sources: readonly Source[] | undefined;
  readonly warnings: readonly string[];
  readonly text: string;
  /** Null: no model was asked, and the text is the server's own. Undefined: not known yet. */
  readonly model: string | null | undefined;
  readonly failure: Failure | undefined;
}

const NEW: Omit<Asked, 'question'> = {
  isRunning: true,
  sources: undefined,
  warnings: [],
  text: '',
  model: undefined,
  failure: undefined,
};

function after(asked: Asked, event: AnswerEvent): Asked {
  switch (event.type) {
    case 'sources':
      return { ...asked, sources: event.sources, warnings: event.warnings };
    case 'delta':
      return { ...asked, text: asked.text + event.text };
    case 'done':
      return { ...asked, isRunning: false, model: event.model };
    case 'error': {
      const failure = { code: event.code, message: event.error, hint: event.hint };
      return { ...asked, isRunning: false, failure };
    }
  }
}

/** One question at a time: the next one ends the one before. */
export function useAsk(collection: string) {
  const [asked, setAsked] = useState<Asked>();
  const running = useRef<AbortController | null>(null);
  const stop = () => {
    running.current?.abort();
    setAsked((before) => before && { ...before, isRunning: false });
  };
  useEffect(() => () => running.current?.abort(), []);
  const run = async (question: string) => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    const { signal } = abort;
    let state: Asked = { ...NEW, question };
    const show = (next: Asked) => {
      state = next;
      if (!signal.aborted) setAsked(state);
    };
    show(state);
    try {
      for await (const event of ask(collection, question, signal)) show(after(state, event));
    } catch (thrown) {
      show({ ...state, isRunning: false, failure: toFailure(thrown) });
    }
  };
  return { asked, run, stop };
}

import { useState } from 'preact/hooks';
import { Banner } from '../parts/banner.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { Field } from '../parts/field.tsx';
import { Warnings } from '../parts/warnings.tsx';
import { ChunkCard } from './chunk-card.tsx';
import { answerParts } from './cites.ts';
import { type Asked, useAsk } from './use-ask.ts';

/** A question in words, the sources, and the answer of the chat model as it comes. */
export function AskCollection({ collection }: { readonly collection: string }) {
  const [question, setQuestion] = useState('');
  const { asked, run, stop } = useAsk(collection);
  return (
    <>
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          if (question.trim() !== '') run(question);
        }}
      >
        <Field label={`Ask ${collection}`} value={question} onType={setQuestion} />
        {/* Keys: one button in the place of the other would send the form by the click that stops it. */}
        {asked?.isRunning === true ? (
          <button key="stop" type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button key="ask" type="submit" class="primary" disabled={question.trim() === ''}>
            Ask
          </button>
        )}
      </form>
      {asked !== undefined && <Answer asked={asked} />}
    </>
  );
}

function Answer({ asked }: { readonly asked: Asked }) {
  const { question, sources = [], text, model, isRunning, failure, warnings } = asked;
  return (
    <div class="stack">
      <Warnings list={warnings} />
      <section class="card answer" aria-label="Answer" aria-busy={isRunning}>
        <p class="quiet" role="status">
          {statusText(asked)}
        </p>
        {model === null ? (
          <Banner tone="note">{text}</Banner>
        ) : (
          text !== '' && (
            <p class="text" dir="auto">
              <CitedText text={text} count={sources.length} />
            </p>
          )
        )}
        <FailureNote failure={failure} />
      </section>
      {sources.length > 0 && (
        <section aria-labelledby="answer-sources">
          <h2 id="answer-sources">Sources</h2>
          <ol class="results">
            {sources.map((source) => (
              <ChunkCard
                key={source.chunk_id}
                id={sourceId(source.number)}
                chunk={source}
                query={question}
                lead={<span class="cite">{source.number}</span>}
              />
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

function statusText({ sources, isRunning, text, model, failure }: Asked): string {
  if (failure !== undefined) return 'The answer is not complete.';
  if (!isRunning) return typeof model === 'string' ? `Answered by ${model}.` : 'No model was asked.';
  if (sources === undefined) return 'Searching…';
  return text === '' ? 'Waiting for the chat model…' : 'Answering…';
}

const sourceId = (number: number): string => `source-${number}`;

function CitedText({ text, count }: { readonly text: string; readonly count: number }) {
  return (
    <>
      {answerParts(text, count).map((part, at) =>
        part.kind === 'text'
          ? part.text
          : part.numbers.map((number) => <Cite key={`${at} ${number}`} number={number} />),
      )}
    </>
  );
}

function Cite({ number }: { readonly number: number }) {
  return (
    <a
      class="cite"
      href={`#${sourceId(number)}`}
      aria-label={`Source ${number}`}
      onClick={(event) => {
        event.preventDefault();
        const source = document.getElementById(sourceId(number));
        source?.focus({ preventScroll: true });
        source?.scrollIntoView({ block: 'nearest' });
      }}
    >
      {number}
    </a>
  );
}

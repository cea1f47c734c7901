import { LOW_CONFIDENCE, MIN_SHOWN_CONFIDENCE } from '../../client/explanations.ts';
import { idOf, type Result, type SearchAnswer, type SearchBody } from '../data/api.ts';
import { countText, percent, things, typeWord } from '../data/words.ts';
import { Banner } from '../parts/banner.tsx';
import { ResultCard } from './result-card.tsx';
import { hasWords, MAX_PAGES, PAGE_SIZE } from './search-state.ts';

interface ResultsProps {
  readonly answer: SearchAnswer;
  readonly body: SearchBody;
  readonly isGrouped: boolean;
  readonly page: number;
  /** How many matches the pages share. 0: not counted yet. */
  readonly matches: number;
  /** How many more hardly match, and are hidden. */
  readonly weak: number;
  readonly onTag: (tag: string) => void;
  readonly onPage: (page: number) => void;
  readonly onWeak: () => void;
}

export function Results({ answer, body, isGrouped, page, matches, weak, onTag, onPage, onWeak }: ResultsProps) {
  const card = (result: Result) => (
    <ResultCard key={idOf(result)} answer={answer} result={result} body={body} onTag={onTag} />
  );
  const hidden = <Weak count={weak} onWeak={onWeak} />;
  if (answer.results.length === 0) {
    return <NothingFits answer={answer} page={page} card={card} hidden={hidden} />;
  }
  const groups = isGrouped ? groupsOf(answer.results) : [];
  return (
    <>
      {page === 1 && <LowConfidence answer={answer} />}
      {isGrouped ? (
        groups.map(([type, results]) => (
          <section key={type} aria-label={typeWord(type, 2)}>
            <h2 class="group">
              {typeWord(type, 2)} <span class="count">{results.length}</span>
            </h2>
            <ol class="results">{results.map(card)}</ol>
          </section>
        ))
      ) : (
        <ol class="results" aria-label="Results">
          {answer.results.map(card)}
        </ol>
      )}
      <Pages total={matches} page={page} onPage={onPage} />
      {hidden}
    </>
  );
}

function Weak({ count, onWeak }: { readonly count: number; readonly onWeak: () => void }) {
  if (count === 0) return null;
  return (
    <p class="weak">
      <button type="button" onClick={onWeak}>
        Show {things(count, 'weak match', 'weak matches')}
      </button>
      <span class="quiet">Their confidence is below {percent(MIN_SHOWN_CONFIDENCE)}.</span>
    </p>
  );
}

/** In the words of the command line, and below its limit. */
function LowConfidence({ answer: { query, results } }: Pick<ResultsProps, 'answer'>) {
  const best = results[0]?.confidence ?? 0;
  if (best >= LOW_CONFIDENCE || !hasWords(query)) return null;
  return <Banner tone="warn">Low confidence: the best match is {percent(best)}.</Banner>;
}

/** Groups in the order of their best result. */
function groupsOf(results: readonly Result[]): readonly (readonly [string, readonly Result[]])[] {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const group = groups.get(result.entity_type);
    if (group === undefined) groups.set(result.entity_type, [result]);
    else group.push(result);
  }
  return [...groups];
}

interface NothingFitsProps {
  readonly answer: SearchAnswer;
  readonly page: number;
  /** The way to the matches that are hidden. */
  readonly hidden: preact.JSX.Element;
  readonly card: (result: Result) => preact.JSX.Element;
}

function NothingFits({ answer, page, hidden, card }: NothingFitsProps) {
  const nearest = answer.nearest ?? [];
  const isPast = page > 1 && answer.total_candidates > 0;
  return (
    <section class="empty">
      <h2>{isPast ? 'No results this far down' : 'Nothing fits'}</h2>
      <p>
        {nearest.length > 0
          ? 'No entity is likely to answer this. The nearest are below.'
          : 'No entity passes the query and its filters. Remove a filter, or use other words.'}
      </p>
      {nearest.length > 0 && (
        <ol class="results nearest" aria-label="Nearest">
          {nearest.map(card)}
        </ol>
      )}
      {hidden}
    </section>
  );
}

interface PagesProps {
  readonly total: number;
  readonly page: number;
  readonly onPage: (page: number) => void;
}

function Pages({ total, page, onPage }: PagesProps) {
  const last = Math.min(MAX_PAGES, Math.ceil(total / PAGE_SIZE));
  if (last <= 1) return null;
  return (
    <nav class="pages" aria-label="Pages of results">
      <button type="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Previous
      </button>
      <span>
        Page {page} of {last}
      </span>
      <button type="button" disabled={page >= last} onClick={() => onPage(page + 1)}>
        Next
      </button>
    </nav>
  );
}

/** Only another ranking is worth a word: Compare links to it. */
const DEFAULT_PRESET = 'hybrid';

/** How many, by what, for screen readers and people. */
export function Summary({ answer, isSettled }: { readonly answer: SearchAnswer; readonly isSettled: boolean }) {
  const { total_candidates: total, search_mode: mode, preset, results } = answer;
  const isCounted = isSettled || results.length === total;
  const ranking = preset === DEFAULT_PRESET ? '' : ` · ${preset}`;
  return (
    <p class="summary" role="status">
      {answer.no_match ? 'No match' : isCounted ? things(total, 'match', 'matches') : 'Best matches'}
      <span class="quiet">
        {' '}
        · {mode === 'hybrid' ? 'by keyword and meaning' : 'by keyword only'}
        {ranking}
        {isCounted && total > PAGE_SIZE && ` · ${countText(PAGE_SIZE)} a page`}
      </span>
    </p>
  );
}

import { PRESET_NAMES } from '../../model/entity-parts/names.ts';
import { api, idOf, type SearchAnswer } from '../data/api.ts';
import { entityHref, hrefOf, navigate, type PageProps } from '../data/navigation.ts';
import { type Loaded, useLoad } from '../data/use-load.ts';
import { percent, shownName, things } from '../data/words.ts';
import { TypeBadge } from '../parts/badges.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { ResultLink } from '../search/result-link.tsx';
import { SearchBox } from '../search/search-box.tsx';
import { Figures } from './figures.tsx';
import { type Move, movesOf, moveText } from './moves.ts';

const SIDES = ['left', 'right'] as const;
type Side = (typeof SIDES)[number];
const DEFAULTS: Readonly<Record<Side, string>> = { left: 'hybrid', right: 'keyword' };

/** Two rankings of one query, side by side. */
export function ComparePage({ address }: PageProps) {
  const query = address.query.get('q') ?? '';
  const presets = {
    left: address.query.get('left') ?? DEFAULTS.left,
    right: address.query.get('right') ?? DEFAULTS.right,
  };
  const go = (next: { readonly q?: string; readonly left?: string; readonly right?: string }) =>
    navigate(hrefOf('/ui/compare', { q: query, ...presets, ...next }), 'replace');
  const left = useRanking(query, presets.left);
  const right = useRanking(query, presets.right);
  const loaded = { left, right };
  return (
    <>
      <header class="page-head">
        <h1>Compare rankings</h1>
        <p>
          See what two rankings answer to the same query, side by side. Arrows say how far the right list moved each
          result. To measure rankings on your own labeled queries, run <code>dowser eval</code>.
        </p>
      </header>
      <SearchBox value={query} label="Query" placeholder="A query to rank twice" onType={(q) => go({ q })} />
      <div class="columns">
        {SIDES.map((side) => (
          <section key={side} aria-label={`Ranking on the ${side}`}>
            <select
              aria-label={`Preset on the ${side}`}
              value={presets[side]}
              onChange={(event) => go({ [side]: event.currentTarget.value })}
            >
              {PRESET_NAMES.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
            <Ranking
              loaded={loaded[side]}
              moves={side === 'left' ? undefined : movesBetween(left.value, right.value)}
            />
          </section>
        ))}
      </div>
      <Figures presets={presets} />
    </>
  );
}

function useRanking(query: string, preset: string): Loaded<SearchAnswer | undefined> {
  return useLoad(`${preset} ${query}`, async (signal) =>
    query.trim() === ''
      ? undefined
      : api.search({ body: { query, preset, max_results: 10, peers: false } }, { signal }),
  );
}

function movesBetween(left: SearchAnswer | undefined, right: SearchAnswer | undefined): readonly Move[] | undefined {
  if (left === undefined || right === undefined) return undefined;
  return movesOf(left.results.map(idOf), right.results.map(idOf));
}

interface RankingProps {
  readonly loaded: Loaded<SearchAnswer | undefined>;
  readonly moves: readonly Move[] | undefined;
}

function Ranking({ loaded: { value, failure }, moves }: RankingProps) {
  if (failure !== undefined) return <FailureNote failure={failure} />;
  if (value === undefined) return null;
  return (
    <>
      <p class="quiet">{value.no_match ? 'Nothing fits.' : things(value.results.length, 'result')}</p>
      <ol class="ranking">
        {value.results.map((result, at) => (
          <li key={idOf(result)} class="card">
            <span class="place">{at + 1}</span>
            <ResultLink href={entityHref(idOf(result))}>
              <bdi>{shownName(result)}</bdi>
            </ResultLink>
            <TypeBadge type={result.entity_type} />
            <span class="count">{percent(result.confidence)}</span>
            {moves?.[at] !== undefined && <span class={`move ${moves[at].kind}`}>{moveText(moves[at])}</span>}
          </li>
        ))}
      </ol>
    </>
  );
}

import type { ComponentChildren } from 'preact';
import { api, type FoundChunk } from '../data/api.ts';
import { useLoad } from '../data/use-load.ts';
import { Confidence } from '../parts/confidence.tsx';
import { Disclosure } from '../parts/disclosure.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { Highlight } from '../parts/highlight.tsx';

/** Where a passage is in its document: `page 3`, or `lines 10 to 20`. */
function placeText({ page, from_line: from, to_line: to }: FoundChunk['position']): string {
  if (page !== null) return `page ${page}`;
  return from === to ? `line ${from}` : `lines ${from} to ${to}`;
}

interface ChunkCardProps {
  readonly chunk: FoundChunk;
  readonly query: string;
  /** Before the title, such as the number of a source. */
  readonly lead?: ComponentChildren;
  readonly id?: string;
}

export function ChunkCard({ chunk, query, lead, id }: ChunkCardProps) {
  const { source_name: name, path, collections, heading_path: headings, position, notes, text } = chunk;
  return (
    <li class="card chunk" id={id} tabIndex={id === undefined ? undefined : -1}>
      <div class="result-head">
        {lead}
        <h3>
          <bdi>{name === '' ? path : name}</bdi>
        </h3>
        <span class="badge">{placeText(position)}</span>
        <Confidence value={chunk.confidence} />
      </div>
      <p class="path">
        <bdi>{[collections[0], path].join('/')}</bdi>
        {headings.length > 0 && <bdi class="headings"> · {headings.join(' › ')}</bdi>}
      </p>
      <p class="text chunk-text">
        <Highlight text={text} query={query} />
      </p>
      {notes.map((note) => (
        <p key={note} class="quiet" dir="auto">
          {note}
        </p>
      ))}
      <Disclosure summary="In context">
        <Context chunk={chunk} query={query} />
      </Disclosure>
    </li>
  );
}

/** Lines before and after a hit. */
const AROUND = 12;

/** The page of the hit, or the lines around it. */
function Context({ chunk, query }: Pick<ChunkCardProps, 'chunk' | 'query'>) {
  const { chunk_id: id, position } = chunk;
  const { page, from_line: from, to_line: to } = position;
  const { value, failure } = useLoad(id, (signal) => {
    const lines = { from_line: Math.max(1, from - AROUND), to_line: to + AROUND };
    const range = page === null ? lines : { page, to_page: page };
    return api.readDocument({ body: { document: id, range } }, { signal });
  });
  if (value === undefined) return <FailureNote failure={failure} />;
  return (
    <>
      <p class="quiet">
        {value.page === null
          ? `Lines ${value.from_line} to ${value.to_line} of ${value.lines}`
          : `Page ${value.page} of ${value.pages}`}
      </p>
      <pre class="prose">
        <Highlight text={value.text} query={query} />
      </pre>
    </>
  );
}

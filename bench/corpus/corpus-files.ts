import { once } from 'node:events';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Entity } from '../../src/model/entity.ts';
import type { SearchHints } from '../contenders/contender.ts';
import type { BenchQuery, BenchUnit, Corpus } from './corpus.ts';
import type { ExactNeighbors } from './exact-neighbors.ts';
import { DIMENSIONS } from './vector-space.ts';

/** What the process that searches needs: the questions and the right answers, not the corpus. */
export interface Questions extends SearchHints {
  /** The exact neighbors of the first queries after the warm-up. */
  readonly exact: readonly (readonly string[])[];
}

const bytesOf = (numbers: Float32Array) => new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

/** Writes a corpus once, so that every contender reads the same one and none pays for its making. */
export async function writeCorpus(folder: string, corpus: Corpus, neighbors: ExactNeighbors): Promise<void> {
  await writeLines(join(folder, 'entities.jsonl'), corpus.entities);
  await writeLines(join(folder, 'units.jsonl'), corpus.units);
  writeFileSync(join(folder, 'vectors.f32'), bytesOf(corpus.vectors));
  const queryVectors = new Float32Array(corpus.queries.length * DIMENSIONS);
  corpus.queries.forEach(({ vector }, i) => {
    queryVectors.set(vector, i * DIMENSIONS);
  });
  writeFileSync(join(folder, 'query-vectors.f32'), bytesOf(queryVectors));
  const texts = corpus.queries.map(({ text }) => text);
  const { ids: exact, candidateCosine } = neighbors;
  writeFileSync(join(folder, 'questions.json'), JSON.stringify({ texts, exact, candidateCosine }));
}

export function readQuestions(folder: string): Questions {
  const { texts, exact, candidateCosine } = JSON.parse(readFileSync(join(folder, 'questions.json'), 'utf8')) as {
    texts: string[];
    exact: string[][];
    candidateCosine: number;
  };
  const vectors = readVectors(join(folder, 'query-vectors.f32'));
  const queries = texts.map((text, i) => ({ text, vector: vectors.slice(i * DIMENSIONS, (i + 1) * DIMENSIONS) }));
  return { exact, candidateCosine, queries };
}

export function readCorpus(folder: string, queries: readonly BenchQuery[]): Corpus {
  return {
    entities: readLines<Entity>(join(folder, 'entities.jsonl')),
    units: readUnits(folder),
    vectors: readVectors(join(folder, 'vectors.f32')),
    queries,
  };
}

/** On its own for the process that searches: it has them only after everything is measured. */
export function readUnits(folder: string): readonly BenchUnit[] {
  return readLines<BenchUnit>(join(folder, 'units.jsonl'));
}

async function writeLines(file: string, values: readonly object[]): Promise<void> {
  const stream = createWriteStream(file);
  for (const value of values) {
    if (!stream.write(`${JSON.stringify(value)}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}

function readLines<T>(file: string): readonly T[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}

function readVectors(file: string): Float32Array {
  const bytes = readFileSync(file);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

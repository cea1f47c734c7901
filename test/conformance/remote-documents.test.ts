import { it } from 'vitest';
import { remoteDocuments } from '../../src/client/remote-documents.ts';
import type { Documents } from '../../src/documents/contract/documents.ts';
import { createDocuments } from '../../src/documents/create-documents.ts';
import { type CallsOf, expectSameAnswers } from '../support/local-and-remote.ts';

const bad = (value: unknown) => value as never;
const ID = 'a'.repeat(16);
const FILE = { id: ID, path: 'guide/tea.md', size: 20, mtime_ms: 1.5, hash: 'h' };
const CONTENT = {
  title: 'Tea',
  format: 'markdown',
  text: '# Tea\nGreen tea.\n\n# Mate\nA gourd.\n',
  chunks: [
    { id: 'aa', headings: ['Tea'], start_char: 6, end_char: 16, from_line: 2, to_line: 2 },
    { id: 'bb', headings: ['Mate'], start_char: 25, end_char: 33, from_line: 5, to_line: 5 },
  ],
};

/** In this order, on documents of their own for each of the two. */
const CALLS: CallsOf<Documents> = {
  createCollection: [
    (d) => d.createCollection({ name: 'handbook', folder: '/srv/handbook', note: 'All of it.' }),
    (d) => d.createCollection({ name: 'HANDBOOK' }),
    (d) => d.createCollection({ name: 'Ünïcode-書' }),
    (d) => d.createCollection(bad({ name: 'a b' })),
    (d) => d.createCollection(bad({ name: 'x', chunking: { max_chars: 200, overlap_chars: 300 } })),
  ],
  putFiles: [
    (d) => d.putFiles('handbook', { put: [{ ...FILE, content: CONTENT }] }),
    (d) => d.putFiles('handbook', { put: [FILE] }),
    (d) => d.putFiles('handbook', { remove: ['b'.repeat(16)] }),
    (d) => d.putFiles('handbook', bad({ put: [{ ...FILE, path: '../x' }] })),
    (d) => d.putFiles('nowhere', {}),
    (d) =>
      d.putFiles('handbook', {
        unread: [{ path: 'x.pdf', size: 1, mtime_ms: 1, code: 'encrypted', message: 'Needs a password.' }],
      }),
  ],
  changeCollection: [
    (d) => d.changeCollection('handbook', { notes: [{ folder: 'guide', note: 'For guests.' }], exclude: ['*.tmp'] }),
    (d) => d.changeCollection('handbok', {}),
    (d) => d.changeCollection('handbook', bad({ color: 'red' })),
  ],
  collections: [(d) => d.collections()],
  collection: [(d) => d.collection('Handbook'), (d) => d.collection('Ünïcode-書'), (d) => d.collection('a/b')],
  fileStates: [(d) => d.fileStates('handbook'), (d) => d.fileStates('other')],
  search: [
    (d) => d.search({ query: 'green tea', expand: {}, explain: true }),
    (d) => d.search({ query: 'tea', collections: ['Ünïcode-書'] }),
    (d) => d.search({ searches: [{ type: 'keyword', query: 'gourd' }], limit: 60 }),
    (d) => d.search({ query: ' ' }),
    (d) => d.search({ query: 'x', preset: 'hybrit' }),
    (d) => d.search(bad({ query: 'x', expand: { before: 9 } })),
  ],
  chunk: [(d) => d.chunk(`${ID}-aa`), (d) => d.chunk(`${ID}-cc`), (d) => d.chunk('a/b c')],
  read: [
    (d) => d.read('handbook/guide/tea.md'),
    (d) => d.read(ID, { from_line: 2, to_line: 4 }),
    (d) => d.read(`${ID}-bb`, { max_chars: 3 }),
    (d) => d.read('handbook/guide/te.md'),
    (d) => d.read(ID, { page: 1 }),
  ],
  sources: [(d) => d.sources('handbook'), (d) => d.sources('other')],
  stats: [(d) => d.stats('handbook'), (d) => d.stats('other')],
  removeCollection: [(d) => d.removeCollection('handbook'), (d) => d.removeCollection('handbook')],
};

it('answers over the network as in the process, for every method', () =>
  expectSameAnswers(CALLS, (registry) => createDocuments(registry), remoteDocuments));

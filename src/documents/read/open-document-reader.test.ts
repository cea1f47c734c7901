import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { pdfBytes, pdfFile } from '../../../test/support/pdf-file.ts';
import { docxFile, docxParagraph, zipFile } from '../../../test/support/zip-file.ts';
import { chunkDocument } from '../chunk/chunk-document.ts';
import { DEFAULT_CHUNK_OPTIONS } from '../contract/document-chunk.ts';
import {
  DEFAULT_READ_LIMITS,
  type DocumentReader,
  isReadFailure,
  type ReadLimits,
} from '../contract/document-reader.ts';
import { openDocumentReader, type ReaderPool } from './open-document-reader.ts';
import { processOptions, startReadProcess } from './start-process.ts';

const MEGABYTE = 1_000_000;
const folder = mkdtempSync(join(tmpdir(), 'dowser-process-'));
let readers: DocumentReader[] = [];
afterEach(async () => {
  await Promise.all(readers.map((reader) => reader.close()));
  readers = [];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function opened(limits: Partial<ReadLimits> = {}): DocumentReader {
  const reader = openDocumentReader(limits);
  readers.push(reader);
  return reader;
}
const bytes = (name: string, content: string | Uint8Array) => ({ name, bytes: Buffer.from(content) });
/** A process that answers with the name of the file, or ends as the name says. */
const STAND_IN = `
  process.on('message', ({ id, input }) => {
    if (input.name === 'hang') for (;;);
    if (input.name === 'slow') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    if (input.name === 'exit') process.exit(3);
    if (input.name === 'abort') process.abort();
    if (input.name === 'killed') process.kill(process.pid, 'SIGKILL');
    process.send({ id, result: { title: input.name } });
  });
  process.on('disconnect', () => process.exit(0));
`;
const standInFile = join(folder, 'stand-in.mjs');
writeFileSync(standInFile, STAND_IN);

function standIn(limits: Partial<ReadLimits> = {}, pool: ReaderPool = { processes: 1 }) {
  let started = 0;
  const start = () => {
    started++;
    return fork(standInFile, { execArgv: [], serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  };
  const reader = openDocumentReader(limits, { ...pool, start });
  readers.push(reader);
  return { reader, started: () => started };
}

const HARMLESS = bytes('a.md', '# Pump\ntext');

/** A PDF whose one page has this content, packed. */
function packedPage(content: Uint8Array): Uint8Array {
  const packed = deflateSync(content).toString('latin1');
  return pdfBytes(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
      `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed}\nendstream`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ],
    '/Root 1 0 R',
  );
}

describe('openDocumentReader', () => {
  it('reads files and bytes, in the order they were asked for', async () => {
    const reader = opened();
    const path = join(folder, 'note.txt');
    writeFileSync(path, 'from a file');
    const [first, second, third] = await Promise.all([
      reader.read({ path }),
      reader.read(HARMLESS),
      reader.read(bytes('letter.docx', docxFile({ body: docxParagraph('Dear reader') }))),
    ]);
    expect(first).toMatchObject({ title: 'note', format: 'text', text: 'from a file' });
    expect(second).toMatchObject({ title: 'Pump', format: 'markdown' });
    expect(third).toMatchObject({ format: 'docx', text: 'Dear reader' });
  });

  it('names a file that cannot be read, and reads the next', async () => {
    const reader = opened();
    const large = join(folder, 'large.txt');
    writeFileSync(large, '');
    truncateSync(large, 2_000_000_000);
    expect(await reader.read({ path: large })).toMatchObject({ failed: 'too_large' });
    expect(await reader.read({ path: join(folder, 'gone') })).toMatchObject({
      failed: 'not_found',
      message: 'gone does not exist.',
    });
    expect(await reader.read(bytes('a.txt', Buffer.from('Grüße', 'latin1')))).toEqual({
      failed: 'binary',
      message: 'a.txt is neither UTF-8 nor UTF-16 text. Save it as UTF-8 if it is text.',
    });
    expect(await reader.read(bytes('scan.png', Buffer.from('\x89PNG\r\n', 'latin1')))).toMatchObject({
      failed: 'unsupported',
    });
    expect(await reader.read(HARMLESS)).toMatchObject({ title: 'Pump' });
  });

  it('refuses more text than a document may have', async () => {
    expect(await opened({ maxChars: 5 }).read(HARMLESS)).toMatchObject({
      failed: 'too_large',
      message: 'a.md has 11 characters of text, and the limit is 5. Split it into parts.',
    });
  });

  it('cuts the text into chunks in the same process', async () => {
    const reader = opened({ maxChunks: 2 });
    const chunk = { documentId: 'doc', options: DEFAULT_CHUNK_OPTIONS };
    const read = await reader.read(HARMLESS);
    const cut = await reader.read(HARMLESS, { chunk });
    if (isReadFailure(read) || isReadFailure(cut)) throw new Error('The file was not read.');
    expect(cut.chunks).toEqual(chunkDocument('doc', read, DEFAULT_CHUNK_OPTIONS));
    expect(cut.blocks).toEqual([]);
    expect(await reader.read(bytes('many.md', '# a\nb\n# c\nd\n# e\nf'), { chunk })).toEqual({
      failed: 'too_large',
      message: 'many.md has 3 chunks, and the limit is 2. Use larger chunks, or split the file into parts.',
    });
    const options = { ...DEFAULT_CHUNK_OPTIONS, overlapChars: 2000 };
    await expect(reader.read(HARMLESS, { chunk: { documentId: 'doc', options } })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
  });

  it('refuses more headings and paragraphs than a document may have', async () => {
    expect(await opened({ maxBlocks: 100 }).read(bytes('a.md', '# a\n'.repeat(101)))).toEqual({
      failed: 'too_large',
      message: 'a.md has 101 headings and paragraphs, and the limit is 100. Split it into parts.',
    });
  });

  it('survives files that are made to do harm', async () => {
    const reader = opened({ maxMemoryBytes: 200 * MEGABYTE });
    const hostile = [
      ['bomb.docx', zipFile([{ path: 'word/document.xml', content: Buffer.alloc(400 * MEGABYTE, ' ') }]), 'too_large'],
      ['bomb.pdf', packedPage(Buffer.alloc(400 * MEGABYTE, ' ')), 'too_much_memory'],
      [
        'texts.pdf',
        packedPage(Buffer.from(`BT /F1 9 Tf ${'(abcdefgh) Tj T* '.repeat(2 * MEGABYTE)}ET`)),
        'too_much_memory',
      ],
      ['deep.pdf', pdfBytes([`<< /Type /Catalog /X ${'['.repeat(500_000)} >>`], '/Root 1 0 R'), 'broken'],
    ] as const;
    for (const [name, content, failed] of hostile) {
      expect(await reader.read(bytes(name, content)), name).toMatchObject({ failed });
      expect(await reader.read(HARMLESS), `after ${name}`).toMatchObject({ title: 'Pump' });
    }
  }, 120_000);

  it('reads a PDF with a million objects', async () => {
    const objects = Array.from({ length: 1_000_000 }, (_, i) => `<< /N ${i} >>`);
    const pdf = pdfFile([[{ text: 'still here', x: 50, y: 700 }]], { objects });
    expect(await opened().read({ name: 'many.pdf', bytes: pdf })).toMatchObject({ text: 'still here' });
  });

  it('gives up on a file that takes too long, and reads the next in another process', async () => {
    const { reader, started } = standIn({ timeoutMs: 2000 });
    expect(await reader.read(bytes('hang', ''))).toEqual({
      failed: 'timeout',
      message: 'Reading hang takes longer than 2 s. It was skipped.',
    });
    expect(await reader.read(bytes('b.txt', ''))).toMatchObject({ title: 'b.txt' });
    expect(started()).toBe(2);
  });

  it('names the file whose process stopped, and reads those that wait in another', async () => {
    const { reader, started } = standIn();
    const results = await Promise.all(
      ['a.txt', 'exit', 'b.txt', 'abort', 'c.txt', 'killed', 'd.txt'].map((name) => reader.read(bytes(name, ''))),
    );
    expect(results.map((result) => ('failed' in result ? result.failed : result.title))).toEqual([
      'a.txt',
      'crashed',
      'b.txt',
      'too_much_memory',
      'c.txt',
      'too_much_memory',
      'd.txt',
    ]);
    expect(started()).toBe(4);
  });

  it('skips a file for which the system starts no process, and reads the next', async () => {
    let started = 0;
    const start = () => {
      if (++started === 1) throw new Error('spawn ENOMEM');
      return fork(standInFile, {
        execArgv: [],
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
    };
    const reader = openDocumentReader({}, { processes: 1, start });
    readers.push(reader);
    expect(await reader.read(bytes('a', 'x'))).toMatchObject({ failed: 'crashed' });
    expect(await reader.read(bytes('b', 'x'))).toMatchObject({ title: 'b' });
  });

  it('gives up on a file that takes more processor time than its size may', async () => {
    const reader = opened({ cpuMs: 0, cpuMsPerMegabyte: 0 });
    // Long enough for a look of the watch, which comes every 20 ms.
    expect(await reader.read(bytes('long.md', '# a\nb\n'.repeat(100_000)))).toEqual({
      failed: 'timeout',
      message: 'Reading long.md takes more processor time than a file of its size may. It was skipped.',
    });
  });

  it('reads the file of another caller while all files of the first hang', async () => {
    const { reader } = standIn({}, { processes: 3, turnMs: 1e6 });
    const hanging = Array.from({ length: 4 }, () =>
      reader.read(bytes('hang', ''), { caller: 'a' }).catch(() => 'ended'),
    );
    expect(await reader.read(bytes('b.txt', ''), { caller: 'b' })).toMatchObject({ title: 'b.txt' });
    await reader.close();
    expect(await Promise.all(hanging)).toEqual(Array(4).fill('ended'));
  });

  it.each([
    ['callers', ['a', 'b', 'c', 'd']],
    ['one caller', ['a', 'a', 'a', 'a']],
  ])('stops a slow file of %s for one that waits, and reads it again later', async (_, [a, b, c, d]) => {
    const { reader, started } = standIn({}, { processes: 3, turnMs: 50 });
    const stop = new AbortController();
    const hanging = [a, b, c].map((caller) =>
      reader.read(bytes('hang', ''), { caller: caller!, signal: stop.signal }).catch(() => 'ended'),
    );
    const slow = reader.read(bytes('slow', ''), { caller: d! });
    expect(await reader.read(bytes('d.txt', ''), { caller: d! })).toMatchObject({ title: 'd.txt' });
    expect(started()).toBeGreaterThan(3);
    stop.abort();
    expect(await slow).toMatchObject({ title: 'slow' });
    expect(await Promise.all(hanging)).toEqual(Array(3).fill('ended'));
  });

  it('uses one process for many files', async () => {
    const { reader, started } = standIn();
    for (let i = 0; i < 20; i++) await reader.read(bytes('a.txt', ''));
    expect(started()).toBe(1);
  });

  it('leaves the processor to others, and is the first to end where memory runs out', async () => {
    let pid = 0;
    const start = (limits: ReadLimits) => {
      const child = startReadProcess(limits);
      pid = child.pid!;
      return child;
    };
    const reader = openDocumentReader({}, { start });
    readers.push(reader);
    await reader.read(HARMLESS);
    expect(getPriority(pid)).toBeGreaterThanOrEqual(constants.priority.PRIORITY_BELOW_NORMAL);
    const adjusted = `/proc/${pid}/oom_score_adj`;
    if (existsSync(adjusted)) expect(readFileSync(adjusted, 'utf8').trim()).toBe('1000');
  });

  it('stops a file when the signal is aborted, and one that waits', async () => {
    const reader = opened();
    const stop = new AbortController();
    const first = reader.read(HARMLESS, { signal: stop.signal });
    const second = reader.read(HARMLESS, { signal: stop.signal });
    const third = reader.read(HARMLESS);
    stop.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    await expect(second).rejects.toThrow('enough');
    expect(await third).toMatchObject({ title: 'Pump' });
    await expect(reader.read(HARMLESS, { signal: stop.signal })).rejects.toThrow('enough');
  });

  it('rejects what is open when it is closed, and what comes later', async () => {
    const reader = opened();
    const open = reader.read(HARMLESS);
    await Promise.all([reader.close(), expect(open).rejects.toThrow('The document reader is closed.')]);
    await expect(reader.read(HARMLESS)).rejects.toThrow('The document reader is closed.');
    await reader.close();
  });
});

describe('processOptions', () => {
  it('pass no keys of the environment on, and limit the memory', () => {
    const env = { PATH: '/bin', OPENAI_API_KEY: 'secret', NODE_OPTIONS: '--x', LANG: undefined };
    expect(processOptions({ ...DEFAULT_READ_LIMITS, maxMemoryBytes: 300 * MEGABYTE }, env)).toMatchObject({
      env: { PATH: '/bin' },
      execArgv: ['--max-old-space-size=300'],
    });
    expect(processOptions(DEFAULT_READ_LIMITS, env).env).not.toHaveProperty('OPENAI_API_KEY');
  });
});

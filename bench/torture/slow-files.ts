import { deflateSync } from 'node:zlib';
import { pdfBytes } from '../../test/support/pdf-file.ts';
import { keyOf } from './heavy-caller.ts';

/** Files that are sent at once. More than a server reads at a time. */
const SLOW_FILES = 4;
const SMALL_FILES = 10;
/** A file has a turn of this long before it makes room: see docs/security.md. */
const MAX_WAIT_MS = 3000;

export interface SlowFilesReport {
  /** The statuses. */
  readonly slow: string;
  readonly small: string;
  readonly 'small max': number;
  readonly 'slow total': number;
  readonly problems: readonly string[];
}

/** A page of two million texts: 100 kB that take seconds and a gigabyte to read. */
function slowPdf(): Uint8Array<ArrayBuffer> {
  const content = deflateSync(`BT /F1 9 Tf ${'(abcdefgh) Tj T* '.repeat(2_000_000)}ET`).toString('latin1');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  return new Uint8Array(pdfBytes(objects, '/Root 1 0 R'));
}

/** One caller sends files that are slow to read, beside one that sends a small file at a time: the second must not wait for them. */
export async function slowFiles(data: string, url: string): Promise<SlowFilesReport> {
  const [slowKey, smallKey] = [await keyOf(data, 'slow', 'write'), await keyOf(data, 'small', 'write')];
  const send = async (key: string, path: string, body: string | Uint8Array<ArrayBuffer>, type: string) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': type };
    const response = await fetch(url + path, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  };
  for (const [key, name] of [
    [slowKey, 'slow'],
    [smallKey, 'small'],
  ] as const) {
    await send(key, '/api/collections', JSON.stringify({ name }), 'application/json');
  }
  const upload = (key: string, name: string, path: string, body: string | Uint8Array<ArrayBuffer>) =>
    send(key, `/api/collections/${name}/files?path=${path}`, body, 'application/octet-stream');
  const pdf = slowPdf();
  const began = performance.now();
  const sent = Promise.all(Array.from({ length: SLOW_FILES }, (_, n) => upload(slowKey, 'slow', `slow-${n}.pdf`, pdf)));
  const small: number[] = [];
  let longestMs = 0;
  for (let n = 0; n < SMALL_FILES; n++) {
    const asked = performance.now();
    small.push(await upload(smallKey, 'small', `small-${n}.md`, `# Note ${n}\nA small file.\n`));
    longestMs = Math.max(longestMs, Math.round(performance.now() - asked));
  }
  const slow = await sent;
  const slowMs = Math.round(performance.now() - began);
  const problems = small.filter((status) => status !== 200).map((status) => `a small file: status ${status}`);
  if (longestMs > MAX_WAIT_MS) problems.push(`a small file waited ${longestMs} ms behind slow files of another caller`);
  if (slow.some((status) => status >= 500)) problems.push(`slow files: status ${slow.join(', ')}`);
  return { slow: slow.join(' '), small: small.join(' '), 'small max': longestMs, 'slow total': slowMs, problems };
}

import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { DowserError } from '../model/errors/errors.ts';
import type { AuditRecord } from './audit-record.ts';

export interface AuditOptions {
  readonly dir: string;
  /** A larger file is closed and a new one begun. */
  readonly maxBytes: number;
  /** How many closed files to keep. */
  readonly keep: number;
}

export const AUDIT_FOLDER = 'audit';
const CURRENT = 'audit.jsonl';
/** Records of finished work that could not be written yet. More are dropped: what they belong to is in the log as started. */
const MAX_PENDING = 1000;

const CLOSED = /^audit-([\dTZ-]+)-(\d+)\.jsonl$/;

export const auditFolder = (dataDir: string): string => join(dataDir, AUDIT_FOLDER);

/** The files of the log, oldest first. */
export function auditFiles(dataDir: string): readonly string[] {
  const folder = auditFolder(dataDir);
  try {
    const closed = readdirSync(folder).filter((name) => CLOSED.test(name));
    return [...closed.sort(), CURRENT].map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/**
 * An append-only log, one JSON object a line. Each record is one write to the file, so that two processes never mix theirs.
 * The files are private.
 */
export class AuditLog {
  readonly #options: AuditOptions;
  readonly #pending: string[] = [];
  #descriptor: number | null = null;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** Throws AUDIT_UNAVAILABLE if the record cannot be written: then the work must not begin. */
  append(record: AuditRecord): void {
    this.#pending.push(`${JSON.stringify(record)}\n`);
    try {
      this.#flush();
    } catch (cause) {
      this.#pending.pop();
      this.close();
      throw new DowserError('AUDIT_UNAVAILABLE', 'The audit log cannot be written, so nothing may be changed.', {
        hint: 'Make room on the disk of the data folder, or check its permissions. Reads go on.',
        details: { reason: String((cause as NodeJS.ErrnoException).code ?? 'unknown') },
        cause,
      });
    }
  }

  /** The same for work that is done: what cannot be written now is written before the next record. */
  appendLater(record: AuditRecord): void {
    if (this.#pending.length < MAX_PENDING) this.#pending.push(`${JSON.stringify(record)}\n`);
    try {
      this.#flush();
    } catch {
      // The next write is refused until this one is in the log.
      this.close();
    }
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #flush(): void {
    while (this.#pending.length > 0) {
      const line = this.#pending[0]!;
      const descriptor = this.#open(Buffer.byteLength(line));
      const bytes = Buffer.from(endsInLine(descriptor) ? `\n${line}` : line);
      if (writeSync(descriptor, bytes) < bytes.length)
        throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
      this.#pending.shift();
    }
  }

  #open(bytes: number): number {
    const file = join(auditFolder(this.#options.dir), CURRENT);
    if (this.#descriptor !== null) {
      const { size, nlink } = fstatSync(this.#descriptor);
      const isFull = size + bytes > this.#options.maxBytes;
      // Without a name it was deleted: what is written there is lost.
      if (isFull || nlink === 0) this.close();
      if (isFull && nlink > 0) this.#rotate(file);
    }
    if (this.#descriptor === null) {
      mkdirSync(auditFolder(this.#options.dir), { recursive: true, mode: 0o700 });
      this.#descriptor = openSync(file, 'a+', 0o600);
    }
    return this.#descriptor;
  }

  #rotate(file: string): void {
    renameSync(file, join(auditFolder(this.#options.dir), this.#nextName()));
    const closed = auditFiles(this.#options.dir).slice(0, -1);
    for (const old of closed.slice(0, Math.max(0, closed.length - this.#options.keep))) rmSync(old, { force: true });
  }

  /** After the names of all closed files, also within one millisecond and after the clock went back: they are read in this order. */
  #nextName(): string {
    const moment = new Date().toISOString().replaceAll(/[:.]/g, '-');
    const [, lastMoment = '', count = '0'] = CLOSED.exec(basename(auditFiles(this.#options.dir).at(-2) ?? '')) ?? [];
    return lastMoment < moment ? closedName(moment, 0) : closedName(lastMoment, Number(count) + 1);
  }
}

/** Whether the last line was cut short, by a full disk or a crash. A record behind it on the same line could not be read. */
function endsInLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
}

const closedName = (moment: string, n: number) => `audit-${moment}-${String(n).padStart(4, '0')}.jsonl`;

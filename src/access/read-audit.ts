import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { auditFiles } from './audit-log.ts';
import { type AuditRecord, STARTED } from './audit-record.ts';

export interface AuditQuery {
  readonly who?: string | undefined;
  readonly action?: string | undefined;
  readonly result?: string | undefined;
  /** ISO 8601: this moment or later. */
  readonly since?: string | undefined;
  readonly limit: number;
}

/**
 * The newest records that match, newest first. The record of a start is left out where its result is there too. A line that a
 * crash cut short is skipped.
 */
export async function readAudit(dataDir: string, query: AuditQuery): Promise<readonly AuditRecord[]> {
  const found = new Map<number, AuditRecord>();
  const started = new Map<string, number>();
  let at = 0;
  for (const file of auditFiles(dataDir)) {
    for await (const record of recordsOf(file)) {
      at += 1;
      // With who: a caller may choose the id of its request, also that of another.
      const key = JSON.stringify([record.request, record.who, record.action]);
      if (record.result === STARTED) started.set(key, at);
      else found.delete(started.get(key) ?? -1);
      if (matches(record, query)) found.set(at, record);
      // Twice the limit: later results remove starts.
      if (found.size > query.limit * 2) found.delete(found.keys().next().value!);
    }
  }
  return [...found.values()].slice(-query.limit).reverse();
}

async function* recordsOf(file: string): AsyncGenerator<AuditRecord> {
  const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of lines) {
      const record = parsed(line);
      if (record !== null) yield record;
    }
  } catch (thrown) {
    // Rotation may have moved or removed it.
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
}

function parsed(line: string): AuditRecord | null {
  try {
    const record = JSON.parse(line) as AuditRecord | null;
    return typeof record?.at === 'string' && typeof record.request === 'string' ? record : null;
  } catch {
    return null;
  }
}

function matches(record: AuditRecord, { who, action, result, since }: AuditQuery): boolean {
  return (
    (who === undefined || record.who === who) &&
    (action === undefined || record.action === action) &&
    (result === undefined || record.result === result) &&
    (since === undefined || record.at >= since)
  );
}

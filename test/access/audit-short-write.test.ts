import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { AuditLog, auditFiles } from '../../src/access/audit-log.ts';
import { readAudit } from '../../src/access/read-audit.ts';

const WRITER = fileURLToPath(new URL('../support/audit-writer.ts', import.meta.url));

/** The shell limits the size of files: the system stores a part of the record that reaches the limit. */
const writeUntilFull = (dir: string) =>
  JSON.parse(
    execFileSync('sh', ['-c', 'ulimit -f 64; exec "$@"', 'sh', process.execPath, '--import', 'tsx', WRITER, dir], {
      // Its cache would be cut short too.
      env: { ...process.env, TSX_DISABLE_CACHE: '1' },
      encoding: 'utf8',
    }),
  );

it('refuses a record that is stored in part, and keeps the next one apart from it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'dowser-audit-'));
  try {
    const { stored, ...refusal } = writeUntilFull(dir);
    expect(refusal).toEqual({ code: 'AUDIT_UNAVAILABLE', details: { reason: 'ENOSPC' } });
    expect(stored).toBeGreaterThan(1);
    expect(readFileSync(auditFiles(dir)[0]!, 'utf8')).toMatch(/[^\n]$/);

    const log = new AuditLog({ dir, maxBytes: 1_000_000, keep: 1 });
    const [first] = await readAudit(dir, { limit: 1 });
    for (const request of ['next', 'last']) log.append({ ...first!, request });
    log.close();
    const found = await readAudit(dir, { limit: 100 });
    expect(found.slice(0, 2).map(({ request }) => request)).toEqual(['last', 'next']);
    expect(found).toHaveLength(stored + 2);
    expect(readFileSync(auditFiles(dir)[0]!, 'utf8')).not.toContain('\n\n');
  } finally {
    rmSync(dir, { recursive: true });
  }
});

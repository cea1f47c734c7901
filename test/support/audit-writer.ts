/** A process that appends records to an audit log until one is refused. It prints how many were stored, and the refusal. */
import { AuditLog } from '../../src/access/audit-log.ts';
import { DowserError } from '../../src/model/errors/errors.ts';

const log = new AuditLog({ dir: process.argv[2]!, maxBytes: 1_000_000, keep: 1 });
const at = new Date(0).toISOString();
for (let stored = 0; ; stored++) {
  const ids = ['x'.repeat(5000)];
  const from = null;
  try {
    log.append({ at, request: `r${stored}`, who: 'ada', from, action: 'put', ids, ids_total: 1, result: 'done' });
  } catch (thrown) {
    if (!(thrown instanceof DowserError)) throw thrown;
    process.stdout.write(JSON.stringify({ stored, code: thrown.code, details: thrown.details }));
    break;
  }
}

/** Takes a turn of a record and stops in the midst of it, as a paused machine does. Says so before. */
import { writeSync } from 'node:fs';
import { PostgresRecord } from '../../src/engines/shared/postgres/postgres-record.ts';

await new PostgresRecord(process.argv[2]!).inTurn(async () => {
  writeSync(1, 'has the turn\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findServer, writeServerFile } from './server-file.ts';

it('takes a note whose address is none for no server', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'dowser-note-'));
  try {
    await writeServerFile(dir, 'nowhere', 'serve');
    expect(await findServer(dir)).toBeUndefined();
  } finally {
    await rm(dir, { recursive: true });
  }
});

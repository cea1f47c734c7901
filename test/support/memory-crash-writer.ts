/** A process that stores memories, each superseding the one before, and says so after each, until it is killed. */
import { writeSync } from 'node:fs';
import { openMemories, openRegistry } from '../../src/open.ts';

const [dir, first] = process.argv.slice(2);
const registry = await openRegistry({ data_dir: dir!, embeddings_provider: 'off' }, { background: false });
const memories = await openMemories(registry);
let [before] = (await memories.list({ page_size: 1 })).memories.map(({ content_hash }) => content_hash);
for (let n = Number(first); ; n++) {
  const supersedes = before === undefined ? {} : { supersedes: before };
  const { content_hash } = await memories.store({ content: `The counter is at ${n}`, ...supersedes });
  before = content_hash;
  writeSync(1, `${n}\n`);
}

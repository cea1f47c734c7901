/** A process that opens a data folder, says so, and keeps it until it is killed. */
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { indexed, server, TOY_EMBEDDER } from './engine-fixtures.ts';

const engine = await openEmbedded({ dir: process.argv[2]!, embedder: TOY_EMBEDDER });
await engine.store.put([indexed(server('/held', 'by the other process'))]);
process.stdout.write('open\n');
// Also keeps the engine from being collected, and its lock with it.
process.stdin.on('end', () => engine.close()).resume();

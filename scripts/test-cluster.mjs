// `npm run test:cluster`: prepares the checkout, then runs the long tests of several nodes. Arguments go to vitest.
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, runNode } from './prepare.mjs';

await ensureInstalled();
ensureBuilt();
const vitest = join('node_modules', 'vitest', 'vitest.mjs');
runNode([vitest, 'run', '--config', 'vitest.cluster.config.ts', ...process.argv.slice(2)]);

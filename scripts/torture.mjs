// `npm run torture`: prepares the checkout, then sends hostile and too many requests. Arguments go to bench/torture/main.ts.
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, runNode } from './prepare.mjs';

await ensureInstalled();
ensureBuilt();
runNode(['--import', 'tsx', join('bench', 'torture', 'main.ts'), ...process.argv.slice(2)]);

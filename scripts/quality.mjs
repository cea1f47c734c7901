// `npm run quality -- DIR`: measures every preset on labeled sets and writes docs/quality.md.
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, runNode } from './prepare.mjs';

await ensureInstalled();
ensureBuilt();
runNode(['--import', 'tsx', join('bench', 'quality.ts'), ...process.argv.slice(2)]);

// `npm run noninterference`: prepares the checkout, then compares answers with and without a hidden part, 100,000 times.
import { join } from 'node:path';
import { ensureInstalled, runNode } from './prepare.mjs';

await ensureInstalled();
runNode(['--import', 'tsx', join('test', 'property', 'non-interference', 'main.ts'), ...process.argv.slice(2)]);

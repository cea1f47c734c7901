// `npm test`: prepares everything the tests need, then runs them. Arguments go to vitest.
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, runNode } from './prepare.mjs';

await ensureInstalled();
ensureBuilt();
runNode([join('dist', 'cli', 'main.js'), 'model', 'pull']);
// Some tests change from the previous default model to this one.
runNode([join('dist', 'cli', 'main.js'), 'model', 'pull'], {
  env: { ...process.env, EMBEDDINGS_MODEL_NAME: 'all-MiniLM-L6-v2' },
});
runNode([join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...process.argv.slice(2)]);

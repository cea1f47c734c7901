// `npm start`: from a clone to a running server. Arguments after `--` go to `dowser serve`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, root } from './prepare.mjs';

await ensureInstalled({ tools: false });
ensureBuilt({ types: false });
process.argv.splice(2, 0, 'serve', '--example');
await import(pathToFileURL(join(root, 'dist', 'cli', 'main.js')).href);

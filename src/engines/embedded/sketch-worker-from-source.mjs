// Starts `sketch-worker.ts` in a checkout. Threads do not inherit a TypeScript loader on Node 20, so this brings one along.
// The compiled package has `sketch-worker.js` and neither this file nor the loader.
import { register } from 'tsx/esm/api';

register();
await import('./sketch-worker.ts');

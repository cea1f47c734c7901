// Starts `read-process.ts` in a checkout. A new process has no TypeScript loader on Node 20, so this brings one along.
// The compiled package has `read-process.js` and neither this file nor the loader.
import { register } from 'tsx/esm/api';

register();
await import('./read-process.ts');

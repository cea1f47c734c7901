import { defineConfig } from 'vite';

/** Builds the web page. `scripts/prepare.mjs` runs it. */
export default defineConfig({
  root: 'src/web',
  base: '/ui/',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // An inlined file would need a weaker content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Locked {
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));

/** An install script that fails ends `npm install dowser`, unless its package is optional. */
it('needs no package whose install script fetches something', () => {
  const packages: Readonly<Record<string, Locked>> = read('package-lock.json').packages;
  const needed = Object.entries(packages).filter(([, { dev, optional }]) => dev !== true && optional !== true);
  const scripts = needed.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([name]) => name);
  // Its script only looks for the binary that comes inside the package.
  expect(scripts).toEqual(['node_modules/@photostructure/sqlite']);
});

it('names in its hints the version of the runtime that it asks for', () => {
  expect(read('package.json').optionalDependencies).toEqual({ 'onnxruntime-node': '~1.30.0' });
});

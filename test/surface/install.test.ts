import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runtimeFor } from '../../src/embedders/onnx/runtime-store.ts';

interface Locked {
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const packages: Readonly<Record<string, Locked>> = read('package-lock.json').packages;

/** The packages that `npm install dowser` installs beside it, by their places in the lockfile. */
function installed(): ReadonlySet<string> {
  const found = new Set<string>();
  const follow = (from: string) => {
    for (const name of Object.keys(packages[from]?.dependencies ?? {})) {
      let folder = from;
      while (!(`${folder}/node_modules/${name}`.replace(/^\//, '') in packages)) {
        folder = folder.slice(0, folder.lastIndexOf('node_modules/')).replace(/\/$/, '');
      }
      const place = `${folder}/node_modules/${name}`.replace(/^\//, '');
      if (found.has(place)) continue;
      found.add(place);
      follow(place);
    }
  };
  follow('');
  return found;
}

/** An install script that fails ends `npm install dowser`, or removes an optional package. */
it('needs no package whose install script fetches something', () => {
  const scripts = [...installed()].filter((place) => packages[place]?.hasInstallScript === true);
  // Its script only looks for the binary that comes inside the package.
  expect(scripts).toEqual(['node_modules/@photostructure/sqlite']);
});

it('has no package that npm may leave out without a word', () => {
  expect(read('package.json').optionalDependencies).toBeUndefined();
});

it('fetches the runtime whose interface it has installed', () => {
  const { version } = packages['node_modules/onnxruntime-common'] as { readonly version: string };
  expect(runtimeFor('linux', 'x64').packages[0].package).toBe(`onnxruntime-node@${version}`);
});

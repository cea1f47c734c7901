import ignore, { type Ignore } from 'ignore';

/** Patterns as in a .gitignore file, for paths below one folder. */
export interface PatternList {
  /** True: a pattern matches. False: a pattern with `!` says otherwise. Undefined: no pattern says anything. */
  matches(path: string, isFolder: boolean): boolean | undefined;
}

export function patternList(patterns: readonly string[] | string): PatternList {
  const rules: Ignore = ignore({ allowRelativePaths: false }).add(patterns as string | string[]);
  return {
    matches(path, isFolder) {
      const { ignored, unignored } = rules.test(isFolder ? `${path}/` : path);
      if (ignored) return true;
      return unignored ? false : undefined;
    },
  };
}

/** The .gitignore of a folder and of those above it. The rules of an inner folder decide over those of an outer one. */
export class IgnoreRules {
  readonly #layers: readonly { readonly folder: string; readonly rules: PatternList }[];

  constructor(layers: IgnoreRules['layers'] = []) {
    this.#layers = layers;
  }

  get layers(): readonly { readonly folder: string; readonly rules: PatternList }[] {
    return this.#layers;
  }

  /** `folder` is '' for the root. */
  with(folder: string, text: string): IgnoreRules {
    return new IgnoreRules([...this.#layers, { folder, rules: patternList(text) }]);
  }

  /** `path` is below every folder that has rules. */
  ignores(path: string, isFolder: boolean): boolean {
    let ignored = false;
    for (const { folder, rules } of this.#layers) {
      const inside = folder === '' ? path : path.slice(folder.length + 1);
      ignored = rules.matches(inside, isFolder) ?? ignored;
    }
    return ignored;
  }
}

/** Writes an .mcpb bundle of this system and returns its path. */
export function writeBundle(parts: {
  /** A `node_modules` with Dowser and its packages. */
  readonly modules: string;
  /** Folders of models, and of the runtime. */
  readonly models: readonly string[];
  /** Where the bundle goes. */
  readonly folder: string;
}): string;

/**
 * Notes which character maps PDF.js asks for. A font that is not embedded may name a map instead of having its own; without
 * the map its text is left out, with no other sign than this request.
 */
export function noteMissingMaps(): { readonly Factory: object; readonly missing: ReadonlySet<string> } {
  const missing = new Set<string>();
  class Factory {
    async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<never> {
      if (kind === 'cMapUrl') missing.add(filename.replace(/\.bcmap$/, ''));
      throw new Error(`There is no ${filename}.`);
    }
  }
  return { Factory, missing };
}

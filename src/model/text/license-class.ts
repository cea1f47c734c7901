/** ToolPilot's classes, the strictest last. */
export const LICENSE_CLASSES = ['permissive', 'copyleft', 'proprietary'] as const;
export type LicenseClass = (typeof LICENSE_CLASSES)[number];

/**
 * Folded SPDX ids, and the names that people write in place of them. The first pattern that fits decides. `unlicensed` is what
 * npm writes for a package that may not be used; `unlicense` gives everything away.
 */
const PATTERNS: readonly (readonly [RegExp, LicenseClass])[] = [
  [/^(?:proprietary|commercial|unlicensed|all rights reserved)/, 'proprietary'],
  [/^(?:busl|bsl-1\.1|business source|sspl|elastic|polyform|fsl-|rsal|commons-clause)/, 'proprietary'],
  [/^cc-by-(?:nc|nd)/, 'proprietary'],
  [/^(?:gnu )?(?:[al]?gpl|general public|(?:affero|lesser) general public)/, 'copyleft'],
  [
    /^(?:mpl|mozilla public|epl|eclipse public|eupl|cddl|cpl-|ipl-|osl-|cc-by-sa|sleepycat|ms-rl|cecill(?!-b)|odbl)/,
    'copyleft',
  ],
  [/^(?:mit|x11|expat|apache|bsd|0bsd|isc|zlib|libpng|boost|bsl-1\.0|unlicense|cc0|cc-by-\d|wtfpl)\b/, 'permissive'],
  [
    /^(?:postgresql|psf|python|ncsa|artistic|blessing|blueoak|upl|afl|ms-pl|hpnd|unicode|curl|openssl|php)\b/,
    'permissive',
  ],
  [/^(?:ruby|tcl|w3c|zpl|ecl|mulanpsl|cecill-b|ofl|public domain)\b/, 'permissive'],
];

const classOf = (id: string): LicenseClass | null => PATTERNS.find(([pattern]) => pattern.test(id))?.[1] ?? null;

/**
 * The classes of a license, empty if unknown. Of `MIT OR GPL-2.0-only` users take one: it has both classes. Of `MIT AND
 * GPL-2.0-only` they must keep both: it has the strictest, as have other expressions with both words.
 */
export function licenseClasses(license: string): readonly LicenseClass[] {
  const text = license
    .toLowerCase()
    .replaceAll(/[()\s]+/g, ' ')
    .trim()
    .replace(/^the /, '');
  const parts = text.split(/ (?:or|and) |\//).map((part) => classOf(part.trim()));
  const found = LICENSE_CLASSES.filter((one) => parts.includes(one));
  if (!/\sand\s/.test(text)) return found;
  return parts.includes(null) ? [] : found.slice(-1);
}

export const isLicenseClass = (value: string): value is LicenseClass =>
  (LICENSE_CLASSES as readonly string[]).includes(value);

import { z } from 'zod';
import { isLicenseClass, type LicenseClass, licenseClasses } from '../text/license-class.ts';

/** What a recommendation can be narrowed by, least important last to drop: see `RELAXATION_ORDER`. */
export const FACETS = ['language', 'category', 'license', 'deployment'] as const;
export type Facet = (typeof FACETS)[number];

export const foldFacet = (value: string): string => value.trim().toLowerCase();

/** One value of a facet as filters and the index have it: `language=typescript`. */
export const facetKey = (facet: Facet, value: string): string => `${facet}=${foldFacet(value)}`;

const MAX_FACET_CHARS = 128;

const facetText = z
  .string()
  .max(MAX_FACET_CHARS, `must have at most ${MAX_FACET_CHARS} characters`)
  .refine((text) => text.trim() !== '', 'must not be empty');
const facetTexts = z
  .union(
    // Piped, so that the schema of an answer says what it is.
    [facetText.transform((one) => [one]).pipe(z.array(z.string())), z.array(facetText).max(20)],
    'must be a text or a list of texts',
  )
  .optional();

/** The facets of an entity, besides those that its type has fields for. */
export const facetsSchema = z.object({
  language: facetTexts,
  category: facetTexts,
  license: facetTexts,
  deployment: facetTexts,
});

/** What to say about a facet that there is none of. */
export const unknownFacet = ({ code }: { readonly code: string }): string | undefined =>
  code === 'unrecognized_keys' ? `unknown facet: use ${FACETS.join(', ')}` : undefined;

const filterValue = facetText.optional();

/** One value for each facet. Unknown facets are refused: a filter that is ignored gives wrong answers. */
export const facetFilterSchema = z
  .strictObject(
    { language: filterValue, category: filterValue, license: filterValue, deployment: filterValue },
    { error: unknownFacet },
  )
  .describe(
    'Only entities with these facets. Ignores case. A license may be a class: permissive, copyleft, proprietary.',
  );
export type FacetFilter = Readonly<z.output<typeof facetFilterSchema>>;

const LICENSE_KEY = facetKey('license', '');

/** The license class that a wanted facet names: `license=permissive` is met by every permissive license. */
function classWanted(wanted: string): LicenseClass | null {
  if (!wanted.startsWith(LICENSE_KEY)) return null;
  const value = wanted.slice(LICENSE_KEY.length);
  return isLicenseClass(value) ? value : null;
}

/** Which of the facets that are there meet a wanted one. Both as `facetKey` writes them. */
export function facetsMeeting(wanted: string, there: Iterable<string>): readonly string[] {
  const wantedClass = classWanted(wanted);
  const meeting = [wanted];
  if (wantedClass === null) return meeting;
  for (const key of there) {
    if (key.startsWith(LICENSE_KEY) && licenseClasses(key.slice(LICENSE_KEY.length)).includes(wantedClass)) {
      meeting.push(key);
    }
  }
  return meeting;
}

/** Whether an entity with these facets meets a wanted one. */
export const hasFacet = (own: readonly string[], wanted: string): boolean =>
  facetsMeeting(wanted, own).some((key) => own.includes(key));

export function facetKeysOf(filter: FacetFilter): readonly string[] {
  return FACETS.flatMap((facet) => {
    const value = filter[facet];
    return value === undefined ? [] : [facetKey(facet, value)];
  });
}

/** Fields of some entity types that are facets too. */
interface FacetSources {
  readonly facets?: { readonly [F in Facet]?: readonly string[] | undefined } | undefined;
  readonly language?: string | undefined;
  readonly languages?: readonly string[] | undefined;
  readonly category?: string | undefined;
  readonly license?: string | undefined;
  readonly deployment?: string | readonly string[] | undefined;
}

const listed = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** Every facet of an entity as `facet=value`, folded, without repeats. */
export function facetsOf(entity: FacetSources): readonly string[] {
  const own: Readonly<Record<Facet, readonly string[]>> = {
    language: [...listed(entity.language), ...(entity.languages ?? [])],
    category: listed(entity.category),
    license: listed(entity.license),
    deployment: listed(entity.deployment),
  };
  const keys = new Set<string>();
  for (const facet of FACETS) {
    for (const value of [...own[facet], ...(entity.facets?.[facet] ?? [])]) {
      // A filter cannot ask for a longer one, such as the text of a license.
      if (value.trim() !== '' && value.length <= MAX_FACET_CHARS) keys.add(facetKey(facet, value));
    }
  }
  return [...keys];
}

import { foldMediaType } from '../../model/ard-media-types.ts';
import { STATUSES, type Status } from '../../model/entity.ts';
import type { ArdConstraint } from './ard-filter.ts';
import { ARD_TYPES, DISCOVERABLE_TYPES, type DiscoverableType } from './ard-types.ts';

/** Drafts are never public, even if the filter asks for them. */
const SHOWN: readonly Status[] = STATUSES.filter((status) => status !== 'draft');

/**
 * Splits an ARD filter: `filter` is the part that the search can apply itself, before its limit, and null if it matches
 * nothing. The caller must check `rest`, which includes keys with several tags: they mean any of them, but a search
 * requires all its tags.
 */
export function toSearchFilter(constraints: readonly ArdConstraint[]) {
  let types: readonly DiscoverableType[] = DISCOVERABLE_TYPES;
  let statuses: readonly Status[] | undefined;
  const tags: string[] = [];
  const rest: ArdConstraint[] = [];
  for (const constraint of constraints) {
    const { term, values } = constraint;
    const [only] = values;
    if (term === 'type') {
      const wanted = values.map(foldMediaType);
      types = types.filter((type) => wanted.includes(ARD_TYPES[type].mediaType));
    } else if (term === 'metadata.entity_type') types = types.filter((type) => values.includes(type));
    else if (term === 'metadata.status') statuses = (statuses ?? SHOWN).filter((status) => values.includes(status));
    else if (term === 'tags' && values.length === 1 && only !== undefined && only.trim() !== '') tags.push(only);
    else rest.push(constraint);
  }
  if (types.length === 0 || statuses?.length === 0) return { filter: null, rest };
  return {
    filter: {
      entity_types: [...types],
      ...(statuses === undefined ? {} : { statuses: [...statuses] }),
      ...(tags.length === 0 ? {} : { tags }),
    },
    rest,
  };
}

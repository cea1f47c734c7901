import { DowserError } from './errors.ts';

/** Limits of the registry's `metadata_fields`. */
const MAX_PATHS = 20;
const MAX_DEPTH = 5;
const MAX_SEGMENT_CHARS = 64;

/** Which parts of metadata to return, as lists of keys. An ancestor stands for everything below it. */
export type Projection = readonly (readonly string[])[];

function rejected(value: string, why: string): DowserError {
  return new DowserError('INVALID_REQUEST', `'metadata_fields' of the request has '${value}': ${why}.`, {
    field: 'metadata_fields',
    hint: 'Give a comma list of dot paths, such as team,config.region.',
  });
}

/** Parses `team,config.region`; null or blank means that no metadata is returned. */
export function parseProjection(fields: string | null): Projection | null {
  if (fields === null || fields.trim() === '') return null;
  const paths = fields.split(',').map((path) => path.trim());
  if (paths.length > MAX_PATHS) throw rejected(fields, `at most ${MAX_PATHS} paths are allowed`);
  const parsed = paths.map((path) => {
    const segments = path.split('.');
    if (segments.length > MAX_DEPTH) throw rejected(path, `at most ${MAX_DEPTH} levels are allowed`);
    for (const segment of segments) {
      if (segment.length > MAX_SEGMENT_CHARS) throw rejected(path, `a key may have ${MAX_SEGMENT_CHARS} characters`);
      if (!/^[\p{L}\p{M}\p{N}_-]+$/u.test(segment)) throw rejected(path, 'keys are letters, digits, _ and -');
    }
    return segments;
  });
  const isBelow = (path: readonly string[], other: readonly string[]) =>
    other.length < path.length && other.every((segment, i) => path[i] === segment);
  return parsed.filter((path) => !parsed.some((other) => isBelow(path, other)));
}

/** The chosen parts of a metadata object; a path that leads nowhere is left out. */
export function project(metadata: Readonly<Record<string, unknown>>, projection: Projection): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const path of projection) {
    let from: unknown = metadata;
    for (const segment of path) {
      from =
        from !== null && typeof from === 'object' && Object.hasOwn(from, segment)
          ? (from as Record<string, unknown>)[segment]
          : undefined;
    }
    if (from === undefined) continue;
    let to = out;
    for (const segment of path.slice(0, -1)) {
      if (!Object.hasOwn(to, segment)) to[segment] = {};
      to = to[segment] as Record<string, unknown>;
    }
    to[path.at(-1)!] = from;
  }
  return out;
}

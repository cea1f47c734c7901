import { DowserError } from '../errors/errors.ts';

/** Limits of the MCP gateway registry for `metadata_fields`. */
const MAX_PATHS = 20;
const MAX_DEPTH = 5;
const MAX_SEGMENT_CHARS = 64;

/** The parts of metadata to return, as lists of keys. A key includes everything below it. */
export type Projection = readonly (readonly string[])[];

function rejected(value: string, why: string): DowserError {
  return new DowserError('INVALID_REQUEST', `'metadata_fields' of the request has '${value}': ${why}.`, {
    field: 'metadata_fields',
    hint: 'Use comma-separated dot paths, such as team,config.region.',
  });
}

/** Parses `team,config.region`. Null or blank returns no metadata. */
export function parseProjection(fields: string | null): Projection | null {
  if (fields === null || fields.trim() === '') return null;
  const paths = fields.split(',').map((path) => path.trim());
  if (paths.length > MAX_PATHS) throw rejected(fields, `must have at most ${MAX_PATHS} paths`);
  const parsed = paths.map((path) => {
    const segments = path.split('.');
    if (segments.length > MAX_DEPTH) throw rejected(path, `must have at most ${MAX_DEPTH} levels`);
    for (const segment of segments) {
      if (segment.length > MAX_SEGMENT_CHARS)
        throw rejected(path, `a key must have at most ${MAX_SEGMENT_CHARS} characters`);
      if (!/^[\p{L}\p{M}\p{N}_-]+$/u.test(segment))
        throw rejected(path, 'a key must have only letters, digits, _ and -');
    }
    return segments;
  });
  const isBelow = (path: readonly string[], other: readonly string[]) =>
    other.length < path.length && other.every((segment, i) => path[i] === segment);
  return parsed.filter((path) => !parsed.some((other) => isBelow(path, other)));
}

/** The selected parts of a metadata object. A path without a value is skipped. */
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

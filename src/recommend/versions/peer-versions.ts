import { isReadableRange, isReadableVersion, newestWithin, satisfies } from './version-range.ts';

/** What a package says about its versions. */
export interface PackageVersions {
  readonly name: string;
  readonly ecosystem: string;
  /** The newest one, or the one that is asked about. */
  readonly version: string | null;
  readonly versions: readonly string[];
  readonly peers: readonly Peer[];
}

/** Another package that must be there, in a range of versions. */
export interface Peer {
  readonly name: string;
  readonly range: string;
  readonly optional: boolean;
}

export interface PeerVerdict {
  readonly verdict: 'compatible' | 'conflicts' | 'unknown';
  /** The version of the peer that fits; null if none is known to. */
  readonly version: string | null;
  /** Only an older version fits. */
  readonly isPartial: boolean;
  readonly why: string;
}

/** Whether a package can be used with its peer; null if it does not name it. */
export function peerVerdict(own: PackageVersions, other: PackageVersions): PeerVerdict | null {
  const peer = own.peers.find(({ name }) => name === other.name);
  if (peer === undefined || own.ecosystem !== other.ecosystem) return null;
  const { ecosystem, version, versions } = other;
  const says = (words: string) => `${own.name} needs ${peer.name} ${peer.range}: ${words}`;
  if (version !== null && satisfies(version, peer.range, ecosystem)) {
    return { verdict: 'compatible', version, isPartial: false, why: says(`${version} fits`) };
  }
  const fitting = newestWithin(versions, peer.range, ecosystem);
  if (fitting !== null) {
    const instead = version === null ? '' : `, ${version} does not`;
    return { verdict: 'compatible', version: fitting, isPartial: true, why: says(`${fitting} fits${instead}`) };
  }
  const unknown = (words: string): PeerVerdict => {
    return { verdict: 'unknown', version: null, isPartial: false, why: says(words) };
  };
  if (!isReadableRange(peer.range, ecosystem)) return unknown('the range cannot be read');
  const known = version === null ? versions : [version];
  if (!known.some((text) => isReadableVersion(text, ecosystem))) return unknown('its versions are not known');
  const why = says(`${version ?? 'no version'} ${version === null ? 'fits' : 'does not fit'}`);
  return { verdict: peer.optional ? 'unknown' : 'conflicts', version: null, isPartial: false, why };
}

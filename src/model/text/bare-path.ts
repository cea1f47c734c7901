import { trimEndChars } from './trim-chars.ts';

/** A path to compare: without its leading slash and without slashes at its end. */
export const barePath = (path: string): string => trimEndChars(path.replace(/^\//, ''), '/');

/** The rankings that a request can name. A test holds them to the server's own table. */
export const PRESET_NAMES = [
  'hybrid',
  'documents',
  'keyword',
  'vector',
  'rrf',
  'registry',
  'registry-legacy',
  'lexical',
  'linear',
  'adaptive',
  'anchored',
  'memory',
  'memory-legacy',
  'memory-rrf',
  'recommend',
  'recommend-legacy',
] as const;

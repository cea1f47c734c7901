import fc from 'fast-check';

/** Few words, so that hidden and visible entities share them; with typos, stems and identifiers. */
export const WORDS = [
  ...['weather', 'wether', 'weathers', 'forecast', 'forecats', 'merger', 'mergers', 'database', 'databases', 'databse'],
  ...['postgres', 'query', 'read_file', 'get_weather', 'getWeather', 'D40', 'PII-2024-0042', 'context7', 'node.js'],
  ...['river', 'map', 'atlas', 'the', 'погода', '天気予報', 'acme-tools', '@acme/tools', 'issue', 'create_issue'],
] as const;
export const TAGS = ['merger', 'weather', 'maps', 'Data', 'ops'] as const;
export const MAX_PATHS = 10;

export const word = fc.constantFrom(...WORDS);
export const phrase = (max: number) => fc.array(word, { minLength: 1, maxLength: max }).map((words) => words.join(' '));
export const path = fc.nat(MAX_PATHS - 1).map((n) => (n % 4 === 0 ? `/acme/p${n}` : `/p${n}`));
export const TYPES = [
  'mcp_server',
  'virtual_server',
  'a2a_agent',
  'skill',
  'tool',
  'package',
  'document',
  'memory',
] as const;
export const type = fc.constantFrom(...TYPES, 'mcp_server', 'mcp_server', 'mcp_server', 'skill');

/** Who may read an entity. */
export const reach = fc.constantFrom(
  { visibility: 'public' },
  { visibility: 'public' },
  { visibility: 'public' },
  { visibility: 'public', owner: 'ada' },
  { visibility: 'private', owner: 'ada' },
  { visibility: 'private', owner: 'bob' },
  { visibility: 'group-restricted', allowed_groups: ['ops'] },
  { visibility: 'group-restricted', allowed_groups: ['dev'], owner: 'ada' },
);

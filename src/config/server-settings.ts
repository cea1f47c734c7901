import type { SettingDefinitions } from './setting-definition.ts';
import { address, whole, word } from './setting-values.ts';

const DEFAULT_PORT = 7470;
const DEFAULT_BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/** How the server is reached. */
export const SERVER_SETTINGS = {
  host: {
    schema: word.default('127.0.0.1'),
    env: ['DOWSER_HOST'],
    flag: '--host',
    shown: '`127.0.0.1`',
    meaning:
      'The address to serve on. On a loopback address, only loopback names and the name of `public_url` are accepted as Host and Origin. On another, a page of another site may only read.',
  },
  port: {
    schema: whole(0, 65_535).default(DEFAULT_PORT),
    env: ['DOWSER_PORT', 'PORT'],
    flag: '--port',
    shown: `\`${DEFAULT_PORT}\``,
    meaning: 'The port to serve on, 0 to 65535; 0 takes any free one.',
  },
  public_url: {
    schema: address.optional(),
    env: ['DOWSER_PUBLIC_URL', 'PUBLIC_URL'],
    flag: null,
    shown: 'the address each request came to',
    meaning:
      'Where others reach this server, such as `https://tools.example.com`. It is in links and names that other registries and agents read, its pages may send requests, and with it pages of any site may read the routes of the standards; see [standards](standards.md).',
  },
  body_limit_bytes: {
    schema: whole(1024, 1024 * 1024 * 1024).default(DEFAULT_BODY_LIMIT_BYTES),
    env: ['DOWSER_BODY_LIMIT_BYTES'],
    flag: null,
    shown: `\`${DEFAULT_BODY_LIMIT_BYTES}\` (8 MiB)`,
    meaning: 'The largest request body, in bytes. A larger one is answered with 413.',
  },
} as const satisfies SettingDefinitions;

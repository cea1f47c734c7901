import type { SettingDefinitions } from './setting-definition.ts';
import { address, whole, word } from './setting-values.ts';

const DEFAULT_BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/** The HTTP server. */
export const SERVER_SETTINGS = {
  host: {
    schema: word.default('127.0.0.1'),
    env: ['DOWSER_HOST'],
    flag: '--host',
    meaning:
      'The address to listen on. On a loopback address, Host and Origin must be a loopback name or the host of `public_url`. On any other address, cross-origin pages may only read.',
  },
  port: {
    schema: whole(0, 65_535).default(7470),
    env: ['DOWSER_PORT', 'PORT'],
    flag: '--port',
    meaning: 'The port to listen on, 0 to 65535. 0 takes any free port.',
  },
  public_url: {
    schema: address.optional(),
    env: ['DOWSER_PUBLIC_URL', 'PUBLIC_URL'],
    shown: 'the address of each request',
    meaning:
      'The public address of this server, such as `https://tools.example.com`. It is used in links and names for other registries and agents. Pages of this origin may send requests, and pages of any origin may read the routes of [standards](standards.md).',
  },
  body_limit_bytes: {
    schema: whole(1024, 1024 * 1024 * 1024).default(DEFAULT_BODY_LIMIT_BYTES),
    env: ['DOWSER_BODY_LIMIT_BYTES'],
    shown: `\`${DEFAULT_BODY_LIMIT_BYTES}\` (8 MiB)`,
    meaning: 'The largest request body, in bytes. A larger one gets status 413.',
  },
} as const satisfies SettingDefinitions;

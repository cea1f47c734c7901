import { z } from 'zod';
import type { SettingDefinitions } from './setting-definition.ts';
import { address, addressRange, onOff, origin, whole, word, words } from './setting-values.ts';

const DEFAULT_BODY_LIMIT_BYTES = 8 * 1024 * 1024;
const DEFAULT_BODY_MEMORY_BYTES = 64 * 1024 * 1024;

/** The HTTP server. */
export const SERVER_SETTINGS = {
  host: {
    schema: word.default('127.0.0.1'),
    env: ['DOWSER_HOST'],
    flag: '--host',
    meaning:
      'The address to listen on. On any other than a loopback address, requests need credentials: see [access](access.md). The Host header must be a name of this server: see [network](security.md#network).',
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
  ard_referrals: {
    schema: words.pipe(z.array(address)).default([]),
    env: ['DOWSER_ARD_REFERRALS'],
    shown: 'none',
    meaning:
      'Addresses of other ARD registries, separated by commas, such as `https://ard.example.com`. ARD searches refer callers to them.',
  },
  allowed_hosts: {
    schema: words.default([]),
    env: ['DOWSER_ALLOWED_HOSTS'],
    shown: 'none',
    meaning:
      'Other host names of this server, separated by commas, such as `tools.internal,box.local`. Requests with any other Host header are refused, except loopback names, the host of `public_url` and, beyond loopback, IP addresses.',
  },
  allowed_origins: {
    schema: words.pipe(z.array(origin)).default([]),
    env: ['DOWSER_ALLOWED_ORIGINS'],
    shown: 'none',
    meaning:
      'Origins of other sites whose pages may send requests, separated by commas, such as `https://tools.example.com,http://localhost:6274`. Browsers may then read the answers of `/api` and `/mcp`.',
  },
  allow_remote_writes: {
    schema: onOff.default(false),
    env: ['DOWSER_ALLOW_REMOTE_WRITES'],
    meaning:
      'With `open_access`, allow writes from everyone who can reach the server over the network. Set it only if a proxy in front of the server authenticates callers.',
  },
  web: {
    schema: onOff.default(true),
    env: ['DOWSER_WEB'],
    flag: '--no-web',
    meaning: 'Serve the [web page](web.md). Without it, `/` has links to the interfaces only.',
  },
  body_limit_bytes: {
    schema: whole(1024, 1024 * 1024 * 1024).default(DEFAULT_BODY_LIMIT_BYTES),
    env: ['DOWSER_BODY_LIMIT_BYTES'],
    shown: `\`${DEFAULT_BODY_LIMIT_BYTES}\` (8 MiB)`,
    meaning: 'The largest request body, in bytes. A larger one gets status 413.',
  },
  body_memory_bytes: {
    schema: whole(1024, 16 * 1024 * 1024 * 1024).default(DEFAULT_BODY_MEMORY_BYTES),
    env: ['DOWSER_BODY_MEMORY_BYTES'],
    shown: `\`${DEFAULT_BODY_MEMORY_BYTES}\` (64 MiB)`,
    meaning:
      'The memory for all request bodies together, in bytes. At least `body_limit_bytes`. A request beyond it gets status 503.',
  },
  body_timeout_ms: {
    schema: whole(100, 3_600_000).default(30_000),
    env: ['DOWSER_BODY_TIMEOUT_MS'],
    meaning: 'How long a request body may take to arrive, in milliseconds. A slower one gets status 408.',
  },
  max_running_requests: {
    schema: whole(1, 10_000).default(128),
    env: ['DOWSER_MAX_RUNNING_REQUESTS'],
    meaning: 'How many requests run at once.',
  },
  max_waiting_requests: {
    schema: whole(0, 100_000).default(80),
    env: ['DOWSER_MAX_WAITING_REQUESTS'],
    meaning: 'How many requests may wait for their turn. Requests beyond that get status 503 with `Retry-After`.',
  },
  trusted_proxies: {
    schema: words.pipe(z.array(addressRange)).default([]),
    env: ['DOWSER_TRUSTED_PROXIES'],
    shown: 'none',
    meaning:
      'Addresses and ranges of proxies in front of this server, separated by commas, such as `127.0.0.1,10.0.0.0/8`. For requests through them, [limits](operations.md#limits) and the audit log use the address in `X-Forwarded-For`.',
  },
  rate_limit: {
    schema: whole(0, 1_000_000).optional(),
    env: ['DOWSER_RATE_LIMIT'],
    shown: '`100`, if other machines can reach the server or `auth` is on',
    meaning:
      'How many requests one caller may send in a second, on average: see [limits](operations.md#limits). More get status 429 with `Retry-After`. `0` sets no limit. A server without credentials that only its own machine can reach limits nobody.',
  },
  max_requests_per_caller: {
    schema: whole(0, 10_000).optional(),
    env: ['DOWSER_MAX_REQUESTS_PER_CALLER'],
    shown: '`64`, if other machines can reach the server or `auth` is on',
    meaning:
      'How many requests of one caller may run or wait at once. More get status 429 with `Retry-After`. `0` sets no limit.',
  },
  request_wait_ms: {
    schema: whole(100, 600_000).default(10_000),
    env: ['DOWSER_REQUEST_WAIT_MS'],
    meaning: 'How long a request waits for its turn, in milliseconds. After that it gets status 503.',
  },
  drain_ms: {
    schema: whole(0, 600_000).default(0),
    env: ['DOWSER_DRAIN_MS'],
    meaning:
      'How long the server goes on answering after SIGTERM, in milliseconds. `GET /ready` answers 503 meanwhile, so that a load balancer sends no more requests.',
  },
  shutdown_wait_ms: {
    schema: whole(0, 600_000).default(10_000),
    env: ['DOWSER_SHUTDOWN_WAIT_MS'],
    meaning:
      'How long running requests may take to finish when the server stops, in milliseconds. After that, their connections are closed.',
  },
} as const satisfies SettingDefinitions;

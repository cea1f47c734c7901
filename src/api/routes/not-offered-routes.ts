import type { Route } from './routes.ts';

interface NotOffered {
  /** With everything below it, unless it ends with a fixed segment after the rest of a path. */
  readonly path: Route['path'];
  readonly why: string;
}

const COPIES = 'Dowser copies no other registries. Read one as a source with `dowser add`.';
const USERS = 'Users and groups are those of your identity provider; keys are made with `dowser key`.';
const SCANS = 'Dowser runs no security scans. It warns about texts that read like instructions.';

/** What the MCP gateway registry has and Dowser leaves out on purpose. */
export const NOT_OFFERED: readonly NotOffered[] = [
  { path: '/api/peers', why: COPIES },
  { path: '/api/federation', why: COPIES },
  { path: '/api/management', why: USERS },
  { path: '/api/tokens', why: 'Dowser issues no tokens. Make a key with `dowser key`.' },
  { path: '/api/rate-limits', why: 'Limits are settings: see `rate_limit` in docs/settings.md.' },
  { path: '/api/custom-types', why: 'The types of entities are fixed. Keep fields of your own in `metadata`.' },
  { path: '/api/webhooks', why: 'Dowser calls no addresses when something changes.' },
  { path: '/api/servers/{path*}/security-scan', why: SCANS },
  { path: '/api/servers/{path*}/rescan', why: SCANS },
  { path: '/api/agents/{path*}/security-scan', why: SCANS },
  { path: '/api/agents/{path*}/rescan', why: SCANS },
  { path: '/api/skills/{path*}/security-scan', why: SCANS },
  { path: '/api/skills/{path*}/rescan', why: SCANS },
  {
    path: '/api/skills/{path*}/integrity',
    why: 'Dowser checks each file when it is stored: its content has a `digest`.',
  },
];

/** The methods of each. Another entity may have a path that ends like such a route: it can still be changed. */
export const NOT_OFFERED_ROUTES: readonly (Route & NotOffered)[] = NOT_OFFERED.flatMap(({ path, why }) =>
  path.includes('*}')
    ? (['GET', 'POST'] as const).map((method) => ({ method, path, why }))
    : (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).flatMap((method) =>
        [path, `${path}/{rest*}` as const].map((below) => ({ method, path: below, why })),
      ),
);

import type { IncomingMessage, ServerResponse } from 'node:http';

/** An issuer of one sign-in. Each refresh token counts once, and the second use of one ends the sign-in. */
export interface StrictIssuer {
  current(): { readonly access_token: string; readonly refresh_token: string; readonly token_type: string };
  /** The access token is no longer valid. */
  expire(): void;
  /** Neither is the refresh token: somebody has to sign in again. */
  revoke(): void;
  /** Another sign-in. */
  renew(): void;
  /** Whether the issuer answers. */
  setDown(isDown: boolean): void;
  /** How often it gave new tokens. */
  readonly refreshes: () => number;
  /** Answers a request that is one for the issuer, or has no token that counts. Otherwise returns false. */
  answers(request: IncomingMessage, response: ServerResponse): boolean;
}

export function strictIssuer(origin: string): StrictIssuer {
  let isDown = false;
  let refreshes = 0;
  let number = 1;
  /** The number of the tokens that count. */
  const valid: { access: number | null; refresh: number | null } = { access: 1, refresh: 1 };
  const renew = () => {
    number++;
    valid.access = number;
    valid.refresh = number;
  };
  const current = () => ({
    access_token: `access-of-the-caller-${number}`,
    refresh_token: `refresh-of-the-caller-${number}`,
    token_type: 'Bearer',
  });
  const json = (response: ServerResponse, body: object, status = 200) =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  const token = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = new URLSearchParams(Buffer.concat(chunks).toString()).get('refresh_token');
    // Long enough for others to come meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (isDown) return json(response, { error: 'server_error' }, 500);
    if (sent === null || sent !== `refresh-of-the-caller-${valid.refresh}`) {
      valid.access = null;
      valid.refresh = null;
      return json(response, { error: 'invalid_grant' }, 400);
    }
    refreshes++;
    renew();
    json(response, current());
  };
  const PLACES: Readonly<Record<string, object>> = {
    '/.well-known/oauth-authorization-server': {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    },
  };
  return {
    current,
    expire: () => void Object.assign(valid, { access: null }),
    revoke: () => void Object.assign(valid, { access: null, refresh: null }),
    renew,
    setDown(down) {
      isDown = down;
    },
    refreshes: () => refreshes,
    answers(request, response) {
      const { url = '', headers } = request;
      if (url === '/token') {
        token(request, response).catch(() => response.destroy());
        return true;
      }
      const place = PLACES[url];
      if (place !== undefined || url.startsWith('/.well-known/')) {
        request.resume();
        json(response, place ?? {}, place === undefined ? 404 : 200);
        return true;
      }
      if (headers.authorization === `Bearer access-of-the-caller-${valid.access}`) return false;
      request.resume();
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
      return true;
    },
  };
}

import { AuditLog } from './audit-log.ts';
import type { AuditRecord } from './audit-record.ts';
import { AuditTrail } from './audit-trail.ts';
import { FileKeys } from './file-keys.ts';
import { createIdentifier, type Identifier } from './identify.ts';
import { IssuerMetadata, type SignInEndpoints } from './issuer-metadata.ts';
import type { KeyReader } from './key-store.ts';
import type { OidcSettings } from './oidc-tokens.ts';
import { type AuditQuery, readAudit } from './read-audit.ts';

/** The program that the web page is to the issuer. It has no secret. */
export interface WebClient {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Asked for by name (RFC 8707). Null: it is not. */
  readonly resource: string | null;
}

/** How people sign in on the web page. */
export interface WebSignIn extends WebClient {
  readonly issuer: string;
  /** `isFresh`: as the issuer says now, and not before. Null: it cannot be read. */
  endpoints(isFresh: boolean): Promise<SignInEndpoints | null>;
}

/** Whoever reads the page may make the server ask the issuer, but not more often. */
const FRESH_MS = 2000;

/** Who may ask a server, and the record of what they did. */
export interface Access extends Identifier {
  /** Requests need credentials. If not, only the audit log is on. */
  readonly required: boolean;
  /** Callers without credentials may read public entities. */
  readonly anonymousRead: boolean;
  /** The issuer of accepted tokens. Null: only API keys are accepted. */
  readonly issuer: string | null;
  /** Null: the web page takes only API keys and tokens. */
  readonly webSignIn: WebSignIn | null;
  /** Null: nothing is recorded. */
  readonly trail: AuditTrail | null;
  /** The newest records that match, newest first. */
  readAudit(query: AuditQuery): Promise<readonly AuditRecord[]>;
  close(): void;
}

export interface AccessSettings {
  readonly dataDir: string;
  /** Closed with the access. Default: those of the data folder. */
  readonly keys?: KeyReader | undefined;
  readonly required: boolean;
  readonly anonymousRead: boolean;
  readonly oidc: OidcSettings | null;
  /** Default: nobody signs in on the web page with an account. */
  readonly webClient?: WebClient | null;
  /** Null: nothing is recorded. */
  readonly audit: { readonly maxBytes: number; readonly keep: number } | null;
}

export async function openAccess(settings: AccessSettings): Promise<Access> {
  const { dataDir, keys = new FileKeys(dataDir), required, anonymousRead, oidc, webClient = null, audit } = settings;
  const trail = audit === null ? null : new AuditTrail(new AuditLog({ dir: dataDir, ...audit }));
  const metadata = oidc === null ? null : new IssuerMetadata(oidc.issuer);
  // The library of tokens is loaded only where tokens are accepted.
  const tokens = metadata === null ? null : new (await import('./oidc-tokens.ts')).OidcTokens(oidc!, metadata);
  return {
    ...createIdentifier({ keys, tokens }),
    required,
    anonymousRead,
    issuer: oidc?.issuer ?? null,
    webSignIn: metadata === null || webClient === null ? null : webSignIn(oidc!.issuer, metadata, webClient),
    trail,
    readAudit: (query) => readAudit(dataDir, query),
    close() {
      keys.close();
      trail?.close();
    },
  };
}

function webSignIn(issuer: string, metadata: IssuerMetadata, client: WebClient): WebSignIn {
  return {
    ...client,
    issuer,
    endpoints: (isFresh) =>
      metadata.read(isFresh ? FRESH_MS : undefined).then(
        ({ endpoints }) => endpoints,
        () => null,
      ),
  };
}

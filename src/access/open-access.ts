import { AuditLog } from './audit-log.ts';
import type { AuditRecord } from './audit-record.ts';
import { AuditTrail } from './audit-trail.ts';
import { FileKeys } from './file-keys.ts';
import { createIdentifier, type Identifier } from './identify.ts';
import type { KeyReader } from './key-store.ts';
import type { OidcSettings } from './oidc-tokens.ts';
import { type AuditQuery, readAudit } from './read-audit.ts';

/** Who may ask a server, and the record of what they did. */
export interface Access extends Identifier {
  /** Requests need credentials. If not, only the audit log is on. */
  readonly required: boolean;
  /** Callers without credentials may read public entities. */
  readonly anonymousRead: boolean;
  /** The issuer of accepted tokens. Null: only API keys are accepted. */
  readonly issuer: string | null;
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
  /** Null: nothing is recorded. */
  readonly audit: { readonly maxBytes: number; readonly keep: number } | null;
}

export async function openAccess(settings: AccessSettings): Promise<Access> {
  const { dataDir, keys = new FileKeys(dataDir), required, anonymousRead, oidc, audit } = settings;
  const trail = audit === null ? null : new AuditTrail(new AuditLog({ dir: dataDir, ...audit }));
  // The library of tokens is loaded only where tokens are accepted.
  const tokens = oidc === null ? null : new (await import('./oidc-tokens.ts')).OidcTokens(oidc);
  return {
    ...createIdentifier({ keys, tokens }),
    required,
    anonymousRead,
    issuer: oidc?.issuer ?? null,
    trail,
    readAudit: (query) => readAudit(dataDir, query),
    close() {
      keys.close();
      trail?.close();
    },
  };
}

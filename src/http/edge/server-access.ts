import { keepsAudit, needsCredentials } from '../../access/auth-mode.ts';
import { type Access, openAccess, type WebClient } from '../../access/open-access.ts';
import { followedKeys } from '../../access/record-keys.ts';
import type { Settings } from '../../config.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { Replica } from '../../registry/contract/registry.ts';
import { resourcesOf } from './resource-metadata.ts';

/** `replica` is null also for a node that was opened for reading only: then its keys are not known. */
const hasRecord = ({ engine, store }: Settings): boolean => engine !== 'memory' && store !== undefined;

/** Undefined: no credentials are needed, and nothing is recorded. */
export async function openServerAccess(settings: Settings, replica: Replica | null): Promise<Access | undefined> {
  const required = needsCredentials(settings);
  const isAudited = keepsAudit(settings);
  if (!required && !isAudited) return undefined;
  return openAccess({
    dataDir: settings.data_dir,
    keys: hasRecord(settings) ? followedKeys(() => replica?.keys() ?? null) : undefined,
    required,
    anonymousRead: settings.anonymous_read,
    oidc: oidcOf(settings),
    webClient: webClientOf(settings),
    audit: isAudited ? { maxBytes: settings.audit_max_bytes, keep: settings.audit_keep_files } : null,
  });
}

function oidcOf(settings: Settings) {
  const { oidc_issuer: issuer, oidc_audience, public_url } = settings;
  if (issuer === undefined) return null;
  const audiences = oidc_audience.length > 0 || public_url === undefined ? oidc_audience : resourcesOf(public_url);
  if (audiences.length === 0) {
    throw new DowserError('INVALID_SETTING', "'oidc_issuer' is set, but neither 'public_url' nor 'oidc_audience'.", {
      field: 'oidc_audience',
      hint: 'Set `public_url` or `oidc_audience`: without it, the tokens of other services would be accepted here.',
    });
  }
  return {
    issuer,
    audiences,
    algorithms: settings.oidc_algorithms,
    clockSkewSeconds: settings.oidc_clock_skew,
    userClaim: settings.oidc_user_claim,
    groupsClaim: settings.oidc_groups_claim,
    groupScopes: settings.group_scopes ?? null,
  };
}

function webClientOf(settings: Settings): WebClient | null {
  const { oidc_issuer, oidc_web_client_id: clientId, oidc_web_scopes, oidc_web_resource } = settings;
  if (clientId === undefined) return null;
  if (oidc_issuer === undefined) {
    throw new DowserError('INVALID_SETTING', "'oidc_web_client_id' is set, but not 'oidc_issuer'.", {
      field: 'oidc_issuer',
      hint: 'Set `oidc_issuer` to the issuer that knows this client.',
    });
  }
  return { clientId, scopes: [...new Set(['openid', ...oidc_web_scopes])], resource: oidc_web_resource ?? null };
}

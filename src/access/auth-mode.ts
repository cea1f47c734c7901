import { DowserError } from '../model/errors/errors.ts';
import { isLoopbackName, isPublic, type Reach } from './reach.ts';

interface ReachSettings {
  readonly host: string;
  readonly public_url?: string | undefined;
  readonly allowed_hosts: readonly string[];
  readonly allowed_origins: readonly string[];
  readonly allow_remote_writes: boolean;
}

interface AuthSettings extends ReachSettings {
  readonly auth?: boolean | undefined;
  readonly open_access: boolean;
}

export function reachOf(settings: ReachSettings): Reach {
  return {
    loopbackOnly: isLoopbackName(settings.host),
    publicUrl: settings.public_url,
    allowedHosts: [...settings.allowed_hosts, settings.host],
    allowedOrigins: settings.allowed_origins,
    remoteWrites: settings.allow_remote_writes,
  };
}

/**
 * Whether requests need credentials. Beyond this machine they do, unless the settings open the server on purpose. Throws
 * INVALID_SETTING for settings that contradict each other.
 */
export function needsCredentials(settings: AuthSettings): boolean {
  const { auth, open_access } = settings;
  const isReached = isPublic(reachOf(settings));
  if (auth === true && open_access) {
    throw new DowserError('INVALID_SETTING', "'auth' and 'open_access' are both on.", {
      field: 'open_access',
      hint: 'Turn one of them off. To show public entities without credentials, set `anonymous_read`.',
    });
  }
  if (auth === false && isReached && !open_access) {
    throw new DowserError('INVALID_SETTING', "'auth' is off, and other machines can reach this server.", {
      field: 'auth',
      hint: 'To let everyone read who can reach it, set `open_access` (--open). Otherwise leave `auth` on.',
    });
  }
  return auth ?? (isReached && !open_access);
}

/** Whether writes and refusals are recorded. A registry that keeps nothing has no folder for the records. */
export function keepsAudit(
  settings: AuthSettings & { readonly audit?: boolean | undefined; readonly engine: string },
): boolean {
  return settings.audit ?? (settings.engine !== 'memory' && needsCredentials(settings));
}

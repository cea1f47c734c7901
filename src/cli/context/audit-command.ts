import { randomUUID } from 'node:crypto';
import { AuditLog } from '../../access/audit-log.ts';
import { AuditTrail, auditContext } from '../../access/audit-trail.ts';
import type { Settings } from '../../config.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import { type CommandRun, settingsFor } from './context.ts';

export type AuditSettings = Pick<Settings, 'data_dir' | 'audit_max_bytes' | 'audit_keep_files'>;

export function commandTrail({ data_dir: dir, audit_max_bytes: maxBytes, audit_keep_files: keep }: AuditSettings) {
  return new AuditTrail(new AuditLog({ dir, maxBytes, keep }));
}

/** A command is one request. */
export async function commandContext({ name, key }: CommandRun, action = name as string) {
  return Object.assign(auditContext({ request: randomUUID(), from: null, action: `dowser ${action}` }), {
    who: (await key?.caller())?.name ?? 'local',
  });
}

/**
 * Records what a command does about access, before and after. Always on: keys decide who may do what. Throws
 * AUDIT_UNAVAILABLE before the work begins.
 */
export async function audited<T>(
  run: CommandRun,
  action: string,
  ids: readonly string[],
  work: () => T | Promise<T>,
): Promise<T> {
  const context = await commandContext(run, action);
  const trail = commandTrail(settingsFor(run).settings);
  try {
    trail.touches(ids, context);
    const done = await work();
    trail.finish(context);
    return done;
  } catch (thrown) {
    trail.finish(context, toDowserError(thrown).code);
    throw thrown;
  } finally {
    trail.close();
  }
}

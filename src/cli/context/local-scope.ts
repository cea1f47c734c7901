import { keepsAudit } from '../../access/auth-mode.ts';
import type { Settings } from '../../config.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import type { DocumentService } from '../../documents/create-documents.ts';
import type { MemoryService } from '../../memories/create-memories.ts';
import type { Memories } from '../../memories/memories.ts';
import { UNRESTRICTED } from '../../model/caller/caller.ts';
import type { CallerOptions, LocalRegistry, ScopedRegistry } from '../../registry/contract/registry.ts';
import type { CommandRun } from './context.ts';

/** How a command asks a registry that it has opened itself: as the caller of its key, with its writes recorded. */
export interface LocalScope {
  registry(registry: LocalRegistry): ScopedRegistry;
  memories(service: MemoryService): Memories;
  documents(service: DocumentService): Documents;
  /** Records the end of the command. */
  close(): void;
}

/** For the user of the data folder. Nothing is recorded. */
export const WITHOUT_LIMITS: LocalScope = {
  registry: (registry) => registry,
  memories: (service) => service,
  documents: (service) => service,
  close: () => {},
};

export async function localScope(run: CommandRun, settings: Settings): Promise<LocalScope> {
  const isAudited = keepsAudit(settings);
  const caller = (await run.key?.caller()) ?? UNRESTRICTED;
  if (!isAudited && caller === UNRESTRICTED) {
    return WITHOUT_LIMITS;
  }
  const options: CallerOptions = {};
  let close = () => {};
  if (isAudited) {
    const { commandContext, commandTrail } = await import('./audit-command.ts');
    const context = await commandContext(run);
    const trail = commandTrail(settings);
    Object.assign(options, {
      onWrite: (ids) => trail.touches(ids, context),
      onRefuse: (ids) => trail.refused(context, 'FORBIDDEN', ids),
      onCall: (event) => trail.called(event, context),
    } satisfies CallerOptions);
    close = () => {
      trail.finish(context);
      trail.close();
    };
  }
  return {
    registry: (registry) => {
      const scoped = registry.as(caller, options);
      return caller.readers === null ? scoped : withEmbedding(registry, scoped);
    },
    memories: (service) => service.as(caller, options),
    documents: (service) => service.as(caller, options),
    close,
  };
}

/** A command embeds all that it has written. Its caller sees the counts of its own part. */
function withEmbedding(registry: LocalRegistry, scoped: ScopedRegistry): ScopedRegistry {
  const missing = async () => (await scoped.health()).index.missing_vectors;
  return {
    ...scoped,
    async embedPending({ signal } = {}) {
      const before = await missing();
      await registry.embedPending(signal === undefined ? {} : { signal });
      const remaining = await missing();
      return { embedded: Math.max(0, before - remaining), remaining };
    },
  };
}

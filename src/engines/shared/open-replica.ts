import type { HashedKey } from '../../model/caller/stored-key.ts';
import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { type EmbeddedOptions, openEmbedded } from '../embedded/open-embedded.ts';
import type { WhenLost } from '../replica.ts';
import type { EmbedderStates, SharedRecord } from '../shared-record.ts';
import { embeddingDuty, FollowLoop, VECTOR_DUTY } from './follow-loop.ts';
import { Follower } from './follower.ts';
import { KeyCopy } from './key-copy.ts';
import { ReplicaEngine } from './replica-engine.ts';
import { ReplicaWriter } from './replica-writer.ts';

export interface ReplicaOptions
  extends Pick<EmbeddedOptions, 'dir' | 'log' | 'maxVectorBytes' | 'maxUnits' | 'snapshotAfterUnits' | 'vectorServer'> {
  readonly embedder: EmbedderIdentity | null;
  /** The replica closes it. */
  readonly record: SharedRecord;
  /** A node whose copy was not confirmed for longer is not ready. Default: 10 seconds. */
  readonly maxBehindMs?: number;
  /** What it does then if it cannot reach the record. Default: leave. */
  readonly whenLost?: WhenLost;
  /** Keys that this node had before it followed a record. They are put into it once. */
  readonly ownKeys?: OwnKeys | undefined;
  /** Stamps `createdAt` and `updatedAt`. Default: the clock. */
  readonly now?: () => Date;
}

export interface OwnKeys {
  readonly keys: readonly HashedKey[];
  /** The record has them. */
  moved(): void;
}

export const MAX_BEHIND_MS = 10_000;

/**
 * Opens a node. The folder has a copy of the record, or is new. Resolves when the copy has everything that the record has
 * now. If the record cannot be reached, it resolves too: the node answers from the copy it has, is not ready, and tries
 * again until it can. Throws INVALID_SETTING for a folder that is no copy of this record.
 */
export async function openReplica(options: ReplicaOptions): Promise<ReplicaEngine> {
  const { dir, embedder, record, maxBehindMs = MAX_BEHIND_MS, whenLost = 'leave', now = () => new Date() } = options;
  const { log, maxVectorBytes, maxUnits, snapshotAfterUnits, vectorServer, ownKeys } = options;
  const local = await openEmbedded({
    dir,
    embedder,
    isCopy: true,
    vectorServer,
    ...(log === undefined ? {} : { log }),
    ...(maxVectorBytes === undefined ? {} : { maxVectorBytes }),
    ...(maxUnits === undefined ? {} : { maxUnits }),
    ...(snapshotAfterUnits === undefined ? {} : { snapshotAfterUnits }),
  });
  try {
    if (local.copy.position === null && !local.copy.isEmpty) throw notACopy(dir);
    const keys = new KeyCopy(dir);
    const follower = new Follower({ record, copy: local.copy, keys, maxBehindMs, whenLost });
    const writer = new ReplicaWriter(record, follower);
    let isSettled = embedder === null;
    const settle = async () => {
      if (isSettled || embedder === null) return;
      await writer.inTurn(() => {
        const before = follower.embedders!;
        return settleEmbedder(engine, record, { wanted: embedder, chosen: local.vectors.choose(embedder), before });
      });
      isSettled = true;
    };
    let areKeysMoved = ownKeys === undefined;
    const moveKeys = async () => {
      if (areKeysMoved || ownKeys === undefined) return;
      if (ownKeys.keys.length > 0) {
        await writer.inTurn(() => writer.write({ keys: ownKeys.keys }, {}));
        await follower.catchUp();
      }
      ownKeys.moved();
      areKeysMoved = true;
    };
    const onCaughtUp = async () => {
      await moveKeys();
      await settle();
    };
    const loop = new FollowLoop(record, follower, onCaughtUp, maxBehindMs);
    const engine = new ReplicaEngine({ local, record, follower, writer, loop, keys, now });
    await loop.start();
    vectorServer?.start({
      id: () => local.copy.position?.record ?? null,
      leads: () => !engine.isClosed && loop.leads(VECTOR_DUTY),
      onProgress: () => local.countAgain(),
    });
    const { error } = follower.status();
    if (error?.code === 'INVALID_SETTING') {
      await loop.close();
      throw error;
    }
    return engine;
  } catch (error) {
    await record.close();
    await local.close();
    throw error;
  }
}

interface EmbedderChoice {
  /** The embedder of this node. */
  readonly wanted: EmbedderIdentity;
  /** The one to serve: that of the vectors there are. */
  readonly chosen: EmbedderIdentity;
  /** What the record has. */
  readonly before: EmbedderStates;
}

/**
 * Serves the vectors that the record has, and builds those of this node's embedder beside them. A build that another node
 * has begun goes on while a node works on it. Call it in a turn.
 */
async function settleEmbedder(
  { vectors }: ReplicaEngine,
  record: SharedRecord,
  { wanted, chosen, before }: EmbedderChoice,
): Promise<void> {
  let building: EmbedderIdentity | null = wanted.id === chosen.id ? null : wanted;
  const others = before.building;
  if (building === null && others !== null && others.id !== chosen.id) {
    building = (await isLed(record, embeddingDuty(others.id))) ? others : null;
  }
  if (chosen.id === before.served?.id && building?.id === others?.id) return;
  await vectors.setEmbedders({ served: chosen, building });
}

/** Whether another node has a duty. */
async function isLed(record: SharedRecord, duty: string): Promise<boolean> {
  if (!(await record.lease(duty))) return true;
  await record.release(duty);
  return false;
}

function notACopy(dir: string): DowserError {
  return new DowserError('INVALID_SETTING', `${dir} has entities of its own and is no copy of a shared record.`, {
    field: 'store',
    hint: 'Move them with `dowser migrate`, or choose another data folder.',
  });
}

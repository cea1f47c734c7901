import { onTestFinished } from 'vitest';
import { openReplica, type ReplicaOptions } from '../../src/engines/shared/open-replica.ts';
import { PostgresRecord } from '../../src/engines/shared/postgres/postgres-record.ts';
import type { ReplicaEngine } from '../../src/engines/shared/replica-engine.ts';
import { TOY_EMBEDDER, temporaryFolder } from './engine-fixtures.ts';

export interface NodeOptions extends Partial<Omit<ReplicaOptions, 'record'>> {}

/** Opens a node on a folder of its own, and closes it at the end of the test. */
export async function openNode(url: string, options: NodeOptions = {}): Promise<ReplicaEngine> {
  const folder = temporaryFolder();
  const record = new PostgresRecord(url);
  const node = await openReplica({ dir: folder.path, embedder: TOY_EMBEDDER, record, ...options });
  onTestFinished(async () => {
    await node.close();
    folder.remove();
  });
  return node;
}

/** Waits until every node has what any of them has. */
export async function allCaughtUp(...nodes: readonly ReplicaEngine[]): Promise<void> {
  const head = Math.max(...nodes.map(({ replica }) => replica.status().revision));
  for (const { replica } of nodes) {
    if (!(await replica.reached({ epoch: null, seq: head }, 60_000)))
      throw new Error(`A node did not reach revision ${head}.`);
  }
}

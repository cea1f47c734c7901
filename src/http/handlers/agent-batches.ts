import { randomUUID } from 'node:crypto';
import type { Handlers } from '../../api/contract.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { type BatchItem, type BatchItemResult, toBatchJob } from '../../standards/gateway/agent-batch.ts';

type AgentRoutes = Pick<Handlers, 'registerAgent' | 'patchAgent' | 'putAgent' | 'deleteAgent'>;

/** Jobs are kept in memory, the newest of them. A restart forgets them; what they wrote stays. */
const MAX_JOBS = 100;

interface Job {
  readonly id: string;
  readonly key: string | undefined;
  readonly total: number;
  readonly results: BatchItemResult[];
}

/** The batches of one caller. */
export interface AgentJobs {
  readonly byId: Map<string, Job>;
  running: Promise<void>;
}

export const noJobs = (): AgentJobs => ({ byId: new Map(), running: Promise.resolve() });

/** Runs batches of agent operations, one batch after the other, each operation as on its own route. */
export function agentBatches(
  routes: AgentRoutes,
  kept: AgentJobs,
): Pick<Handlers, 'submitAgentBatch' | 'getAgentBatch'> {
  const { byId: jobs } = kept;

  async function run(items: readonly BatchItem[], { results }: Job): Promise<void> {
    for (const [index, item] of items.entries()) {
      const path = 'path' in item ? item.path : null;
      try {
        const { status, at } = await apply(routes, item);
        results.push({ index, op: item.op, path: at ?? path, status, error: null });
      } catch (thrown) {
        const { code, message, httpStatus } = toDowserError(thrown);
        results.push({ index, op: item.op, path, status: httpStatus, error: { code, message } });
      }
    }
  }

  function added(items: readonly BatchItem[], key: string | undefined): Job {
    const job: Job = { id: randomUUID(), key, total: items.length, results: [] };
    jobs.set(job.id, job);
    for (const id of jobs.keys()) if (jobs.size > MAX_JOBS) jobs.delete(id);
    kept.running = kept.running.then(() => run(items, job));
    return job;
  }

  return {
    async submitAgentBatch({ body: { items, idempotency_key } }) {
      const key = idempotency_key ?? undefined;
      const known = key === undefined ? undefined : [...jobs.values()].find((job) => job.key === key);
      const { id } = known ?? added(items, key);
      const headers = known === undefined ? {} : { 'X-Idempotent-Replay': 'true' };
      return { status: 202, body: { job_id: id, status_url: `/api/agents/batch/${id}` }, headers };
    },
    async getAgentBatch({ params: { job_id } }) {
      const job = jobs.get(job_id);
      if (job === undefined) {
        throw new DowserError('NOT_FOUND', `There is no batch ${showValue(job_id)}.`, {
          hint: `The last ${MAX_JOBS} batches are kept until the server stops.`,
        });
      }
      return { status: 200, body: toBatchJob(job.id, job.total, job.results) };
    },
  };
}

async function apply(routes: AgentRoutes, item: BatchItem): Promise<{ readonly status: number; readonly at?: string }> {
  if (item.op === 'register') {
    const { status, body } = await routes.registerAgent({ query: { overwrite: false }, headers: {}, body: item.card });
    return { status, at: body.path };
  }
  const params = { path: item.path };
  if (item.op === 'delete') return { status: (await routes.deleteAgent({ params, headers: {} })).status };
  const change = item.op === 'patch' ? routes.patchAgent : routes.putAgent;
  const { status, body } = await change({ params, headers: {}, body: item.card });
  return { status, at: body.path };
}

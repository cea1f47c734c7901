import type { Operation } from './operation.ts';
import { conditionHeaders } from './operations/wire-fields.ts';
import { OPERATION_RIGHTS } from './rights.ts';
import type { OperationName } from './routes.ts';

/** Writes that change no entity: the graph, and a new reading of a server. */
const UNCONDITIONAL = ['reportOutcome', 'refreshServer'] as const satisfies readonly OperationName[];

type Write = {
  [N in OperationName]: (typeof OPERATION_RIGHTS)[N] extends 'write' ? N : never;
}[OperationName];
export type ConditionalName = Exclude<Write, (typeof UNCONDITIONAL)[number]>;

export const isConditional = (name: string): name is ConditionalName =>
  OPERATION_RIGHTS[name as OperationName] === 'write' && !(UNCONDITIONAL as readonly string[]).includes(name);

type Conditional<T> = {
  readonly [N in keyof T]: N extends ConditionalName ? T[N] & { readonly headers: typeof conditionHeaders } : T[N];
};

/**
 * Operations that change entities take `If-Match` and `If-None-Match`. The registry of the request checks them, whatever the
 * operation writes: see `CallerOptions`.
 */
export function withConditions<T extends Readonly<Record<string, Operation>>>(operations: T): Conditional<T> {
  const rows = Object.entries(operations).map(([name, operation]) => {
    if (!isConditional(name)) return [name, operation];
    const errors = [...(operation.errors ?? []), 'PRECONDITION_FAILED'];
    return [name, { ...operation, headers: conditionHeaders, errors }];
  });
  return Object.fromEntries(rows) as Conditional<T>;
}

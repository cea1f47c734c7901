import { type CalledMethod, type CalledOperation, REGISTRY_CALLS } from '../../api/calls/registry-calls.ts';
import { contract, type Handlers } from '../../api/contract.ts';
import { toEtag } from '../../api/wire/if-match.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import type { Registry } from '../../registry/contract/registry.ts';

/** A handler for every operation of `REGISTRY_CALLS`. */
export function registryHandlers(registry: Registry): Pick<Handlers, CalledOperation> {
  const handlers = Object.entries(REGISTRY_CALLS).map(([method, call]) => {
    const ask = registry[method as CalledMethod] as (...args: readonly unknown[]) => Promise<unknown>;
    const toArguments = call.toArguments as (input: unknown) => readonly unknown[];
    const statusOf = statuses(call.operation);
    const handle = async (input: unknown) => {
      const result = await ask(...toArguments(input));
      const body = 'field' in call ? { [call.field]: result } : result;
      return { status: statusOf(result), body, ...tagOf(result) };
    };
    return [call.operation, handle];
  });
  return Object.fromEntries(handlers);
}

/** The success status of the contract. Of two, 201 is for a new entity. */
function statuses(operation: CalledOperation): (result: unknown) => number {
  const { responses } = contract[operation];
  const [first] = Object.keys(responses).map(Number);
  const mayBeNew = 201 in responses;
  return (result) => (mayBeNew && (result as { readonly created: boolean }).created ? 201 : first!);
}

/** The answer about one entity has its tag, as a header too. */
export function tagOf(result: unknown): { readonly headers?: Readonly<Record<string, string>> } {
  return isJsonObject(result) && typeof result.etag === 'string' ? { headers: { ETag: toEtag(result.etag) } } : {};
}

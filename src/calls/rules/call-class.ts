import type { CallScope } from '../../model/caller/caller.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { CALL_CLASSES, type CallClass } from '../../model/query/call-classes.ts';

/** The highest class that an operator allows. */
export type CallLimit = 'off' | CallClass;

/**
 * What a tool may do, by its annotations. Without them it counts as destructive, which is the default of MCP. Annotations that
 * contradict each other count as none.
 */
export function classOf(annotations: unknown): CallClass {
  if (!isJsonObject(annotations)) return 'destructive';
  const { readOnlyHint, destructiveHint } = annotations;
  if (readOnlyHint === true) return destructiveHint === true ? 'destructive' : 'read';
  return destructiveHint === false ? 'write' : 'destructive';
}

/** Whether a call may be sent again if its answer was lost: it changes nothing, or the same thing again. */
export function isRepeatable(annotations: unknown, callClass: CallClass): boolean {
  if (callClass === 'read') return classOf(annotations) === 'read';
  return isJsonObject(annotations) && annotations.idempotentHint === true && classOf(annotations) !== 'destructive';
}

export const isWithin = (callClass: CallClass, limit: CallLimit): boolean =>
  limit !== 'off' && CALL_CLASSES.indexOf(callClass) <= CALL_CLASSES.indexOf(limit);

export const scopeFor = (callClass: CallClass): CallScope => `call:${callClass}`;

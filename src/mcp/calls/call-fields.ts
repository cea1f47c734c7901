import type { CallCheck } from '../../registry/contract/registry.ts';

/** How a tool can be called, for an item of an answer: the tool to call it with, its arguments and its definition, or why not. */
export function callFields({ class: callClass, definition, signature, why }: CallCheck): {
  readonly call?: 'read' | 'call';
  readonly arguments?: string;
  readonly definition?: string;
  readonly not_callable?: string;
} {
  if (callClass === null || definition === null) return why === null ? {} : { not_callable: why };
  return { call: callClass === 'read' ? 'read' : 'call', arguments: signature ?? '', definition };
}

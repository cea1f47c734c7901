/** What a call may do, by the annotations of its tool. Each includes those before it. */
export const CALL_CLASSES = ['read', 'write', 'destructive'] as const;
export type CallClass = (typeof CALL_CLASSES)[number];

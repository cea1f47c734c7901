import { isObject } from '../json.ts';

/** The hints of MCP about a tool. They are the publisher's word: nothing checks them. */
const BADGES = [
  ['readOnlyHint', true, 'read-only', 'good'],
  ['destructiveHint', true, 'destructive', 'bad'],
  ['idempotentHint', true, 'idempotent', ''],
  ['openWorldHint', true, 'open world', ''],
  ['openWorldHint', false, 'closed world', ''],
] as const;

export function ToolAnnotations({ annotations }: { readonly annotations: unknown }) {
  if (!isObject(annotations)) return null;
  return (
    <>
      {BADGES.filter(([name, value]) => annotations[name] === value).map(([, , text, tone]) => (
        <span key={text} class={`badge ${tone}`} title="The publisher says so.">
          {text}
        </span>
      ))}
    </>
  );
}

import type { CallClass } from '../../model/query/call-classes.ts';

const READS =
  /^(?:get|list|read|search|find|fetch|query|show|describe|count|view|check|status|lookup|resolve|browse|explain|compare|validate|preview|echo|ping|who|what)$/;
const WRITES =
  /^(?:add|create|append|insert|comment|save|store|upload|open|start|set|update|edit|rename|copy|tag|label|assign|subscribe|mark)$/;
/** A name that reads and then does something else is not one that reads: `get_or_create_issue`. */
const DOES =
  /^(?:delete|remove|drop|purge|clear|kill|reset|overwrite|merge|close|revoke|send|post|run|exec|execute|write|move|put|or|and)$/;

/** What the name of a tool suggests, for an operator to accept. It never decides by itself. */
export function proposedClass(name: string): CallClass {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  if (words.some((word) => DOES.test(word))) return 'destructive';
  if (words.some((word) => WRITES.test(word))) return 'write';
  return words.some((word) => READS.test(word)) ? 'read' : 'destructive';
}

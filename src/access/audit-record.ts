/** One line of the audit log. It never has the text of a query, a memory or an entity, and no credentials. */
export interface AuditRecord {
  /** ISO 8601. */
  readonly at: string;
  /** The id of the request. Records of one request share it. */
  readonly request: string;
  /** The user, `key:NAME`, `local` for the user of the data folder, `anonymous` for a caller without credentials. */
  readonly who: string;
  /** The address that the request came from. Null for a command on this machine. */
  readonly from: string | null;
  /** The operation, the MCP tool, the route or the command. */
  readonly action: string;
  /** What it touched, as `type:path`. At most `MAX_AUDIT_IDS`. */
  readonly ids: readonly string[];
  /** How many ids there were. */
  readonly ids_total: number;
  /** `started` before a write begins, then `done` or the code of its error. */
  readonly result: string;
  /** For a call of a tool. It has no value of an argument. */
  readonly call?: {
    readonly class: string;
    readonly definition: string;
    readonly argument_names: readonly string[];
    readonly arguments_sha256: string;
    readonly bytes?: number | undefined;
    readonly ms?: number | undefined;
  };
}

export const MAX_AUDIT_IDS = 100;
export const STARTED = 'started';
export const DONE = 'done';

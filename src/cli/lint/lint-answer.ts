import type { ServerReport } from '../../lint/report.ts';
import type { Level } from '../../lint/rules.ts';

/** What `dowser lint --json` prints. */
export interface LintAnswer {
  /** The lowest score of a server; null without servers. */
  readonly score: number | null;
  readonly min_score: number | null;
  readonly passed: boolean;
  readonly counts: Readonly<Record<Level, number>>;
  /** How many servers stood beside them in the searches. */
  readonly among: number;
  readonly servers: readonly ServerReport[];
  readonly problems: readonly { readonly part: string; readonly message: string }[];
}

import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, statSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DowserError } from '../../model/errors/errors.ts';
import { CALL_CLASSES } from '../../model/query/call-classes.ts';

export const CALLS_FILE = 'calls.json';

const ruleSchema = z.strictObject({
  /** Where the server was when it was allowed: a digest. A rule of a server that has moved no longer allows it. */
  place: z.string().optional(),
  /** May be called although its source was not added with this data folder. */
  allow: z.boolean().optional(),
  /** Only these tools. */
  tools: z.array(z.string()).optional(),
  /** No tool of it may be called, or these may not. */
  deny: z.union([z.literal(true), z.array(z.string())]).optional(),
  /** The class of its tools, or of some, in place of that of their annotations. */
  class: z.enum(CALL_CLASSES).optional(),
  classes: z.record(z.string(), z.enum(CALL_CLASSES)).optional(),
  /** The folder in which its program runs. */
  cwd: z.string().optional(),
  /** Others may call it although it uses credentials of the operator. */
  share: z.boolean().optional(),
});
export type CallRule = z.output<typeof ruleSchema>;
export type CallRules = Readonly<Record<string, CallRule>>;

const NO_RULES: CallRules = {};

/**
 * What the operator allows and denies, by the path of a server: `calls.json` in the data folder. Whoever may write to the registry
 * cannot write it. A running server reads it again when it changes. A file that cannot be read allows nothing.
 */
export class CallRuleFile {
  readonly #path: string;
  #seen = '';
  #rules: CallRules = NO_RULES;

  constructor(dataDir: string) {
    this.#path = join(dataDir, CALLS_FILE);
  }

  /** Throws INVALID_FILE. */
  read(): CallRules {
    const seen = this.#version();
    if (seen !== this.#seen) {
      this.#rules = seen === '' ? NO_RULES : this.#parse();
      this.#seen = seen;
    }
    return this.#rules;
  }

  /**
   * Replaces the rule of a server; an empty one is removed. The file appears whole, under its name, with what another process has
   * written meanwhile: no denial is lost.
   */
  async write(path: string, change: (rule: CallRule) => CallRule): Promise<CallRule> {
    await mkdir(join(this.#path, '..'), { recursive: true, mode: 0o700 });
    const incoming = `${this.#path}.${randomUUID()}`;
    let rule: CallRule;
    do {
      const rules = this.read();
      rule = ruleSchema.parse(change(rules[path] ?? {}));
      const { [path]: _, ...others } = rules;
      const all = Object.keys(rule).length === 0 ? others : { ...others, [path]: rule };
      await writeFile(incoming, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
      await chmod(incoming, 0o600);
    } while (this.#version() !== this.#seen);
    renameSync(incoming, this.#path);
    return rule;
  }

  #version(): string {
    const stats = statSync(this.#path, { throwIfNoEntry: false });
    return stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
  }

  #parse(): CallRules {
    try {
      return z.record(z.string(), ruleSchema).parse(JSON.parse(readFileSync(this.#path, 'utf8')));
    } catch (cause) {
      throw new DowserError('INVALID_FILE', `${this.#path} cannot be read: no tool may be called or shown.`, {
        hint: 'Correct or delete it. `dowser call allow` and `dowser call deny` write it.',
        cause,
      });
    }
  }
}

/** The tools that are denied by name, by the path of their server. They are neither called nor shown. */
export const deniedTools = (rules: CallRules): ReadonlyMap<string, readonly string[]> =>
  new Map(Object.entries(rules).flatMap(([path, { deny }]) => (Array.isArray(deny) ? [[path, deny]] : [])));

export const deniedBy = ({ deny }: CallRule, tool: string): boolean => deny === true || deny?.includes(tool) === true;
export const allowedBy = ({ allow, tools }: CallRule, tool: string): boolean =>
  allow === true && (tools === undefined || tools.includes(tool));
export const classBy = ({ class: all, classes = {} }: CallRule, tool: string): CallRule['class'] =>
  Object.hasOwn(classes, tool) ? classes[tool] : all;

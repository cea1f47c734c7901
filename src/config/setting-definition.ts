import type { z } from 'zod';

/** A setting: its schema, where it can be set, and what it means. */
export interface SettingDefinition {
  readonly schema: z.ZodType;
  /** Environment variables, the first that is set wins. */
  readonly env: readonly string[];
  readonly flag: string | null;
  /** The default as the documents show it. */
  readonly shown: string;
  readonly meaning: string;
  readonly secret?: true;
}

export type SettingDefinitions = Readonly<Record<string, SettingDefinition>>;

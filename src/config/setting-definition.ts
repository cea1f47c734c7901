import type { z } from 'zod';

/** A setting: its schema, its names and its meaning. */
export interface SettingDefinition {
  readonly schema: z.ZodType;
  /** Environment variables. The first that is set wins. */
  readonly env: readonly string[];
  readonly flag?: string;
  /** The default as the docs show it. Absent: the default of the schema. */
  readonly shown?: string;
  readonly meaning: string;
  readonly secret?: true;
}

export type SettingDefinitions = Readonly<Record<string, SettingDefinition>>;

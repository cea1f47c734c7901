/** What can be wrong with a tool. `docs/lint.md` has a section for each. */
export const RULES = {
  'no-description': { level: 'error', title: 'A tool has no description.' },
  'short-description': { level: 'warning', title: 'The description is too short to choose the tool by.' },
  'long-description': { level: 'note', title: 'The description is long, and every conversation pays for it.' },
  'no-verb': { level: 'warning', title: 'The description does not begin with what the tool does.' },
  'silent-parameters': { level: 'warning', title: 'A parameter has no description.' },
  'vague-name': { level: 'warning', title: 'The name does not say what the tool works on.' },
  'near-twins': { level: 'warning', title: 'Two tools of a server have nearly the same description.' },
  'reads-like-instruction': { level: 'error', title: 'A text reads like an instruction to the model.' },
  'no-annotations': { level: 'note', title: 'The annotations do not say whether the tool changes anything.' },
  'contradictory-annotations': { level: 'error', title: 'The annotations contradict each other, or the name.' },
  'hard-to-find': {
    level: 'warning',
    title: 'A search with the words of the description does not show the tool first.',
  },
} as const satisfies Readonly<Record<string, { readonly level: Level; readonly title: string }>>;

export type Level = 'error' | 'warning' | 'note';
export type RuleId = keyof typeof RULES;

/** One thing to change. */
export interface Finding {
  readonly rule: RuleId;
  /** The name of the tool. Absent: the server itself. */
  readonly tool?: string;
  readonly problem: string;
  readonly advice: string;
}

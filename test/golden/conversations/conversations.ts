import { readFileSync } from 'node:fs';
import type { StoreMemory, StoreSession } from '../../../src/memories/contract/memory-requests.ts';

/** Something that was said, and later said otherwise. */
interface Topic {
  readonly id: string;
  readonly before: string;
  readonly after: string;
  readonly fact: string;
  readonly now: string;
  readonly exact: string;
  readonly paraphrase: string;
  readonly about: string;
  readonly negative: string;
}

export const CLASSES = ['exact', 'paraphrase', 'time', 'changed', 'negative'] as const;
export type QuestionClass = (typeof CLASSES)[number];

export const SHAPES = ['turns', 'sessions', 'facts'] as const;
export type Shape = (typeof SHAPES)[number];

export interface Question {
  readonly topic: string;
  readonly class: QuestionClass;
  readonly query: string;
  /** Filters of the time class: when it was said. */
  readonly after?: string;
  readonly before?: string;
}

/** A memory of a shape. `holds` are the statements in it: `dog before`, `dog after`. */
export interface Stored {
  readonly holds: readonly string[];
  readonly memory: StoreMemory | StoreSession;
}

const linesOf = <T>(name: string): readonly T[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

export const TOPICS = linesOf<Topic>('topics.jsonl');
const FILLERS = linesOf<readonly [role: string, content: string]>('fillers.jsonl');

const PER_SESSION = 3;
const SESSIONS = TOPICS.length / PER_SESSION;
const DAY_MS = 86_400_000;
const FIRST = Date.parse('2026-01-05T09:00:00Z');

/** First statements were made from January on, a session every fourth day; what changed was said from July on. */
function momentOf(topic: number, isAfter: boolean): string {
  const session = topic % SESSIONS;
  return new Date(FIRST + (session * 4 + (isAfter ? 180 : 0)) * DAY_MS).toISOString();
}

interface Said {
  readonly role: string;
  readonly content: string;
  readonly holds: readonly string[];
}

/** The turns of a session: three statements with small talk around them. */
function turnsOf(session: number, isAfter: boolean): readonly Said[] {
  const own = TOPICS.flatMap((topic, at) => (at % SESSIONS === session ? [topic] : []));
  return own.flatMap((topic, at) => {
    const filler = (offset: number): Said => {
      const [role, content] = FILLERS[(session * 5 + at * 7 + offset + (isAfter ? 11 : 0)) % FILLERS.length]!;
      return { role, content, holds: [] };
    };
    const statement = { role: 'user', content: isAfter ? topic.after : topic.before };
    return [filler(0), { ...statement, holds: [`${topic.id} ${isAfter ? 'after' : 'before'}`] }, filler(1), filler(2)];
  });
}

const sessions = Array.from({ length: SESSIONS }, (_, session) =>
  [false, true].map((isAfter) => ({ session, isAfter })),
).flat();

/** The same conversations in three shapes. Facts that changed supersede each other: see `supersededBy`. */
export function memoriesOf(shape: Shape): readonly Stored[] {
  if (shape === 'facts') {
    return TOPICS.flatMap((topic, at) => [
      {
        holds: [`${topic.id} before`],
        memory: { content: topic.fact, created_at: momentOf(at, false), valid_from: momentOf(at, false) },
      },
      {
        holds: [`${topic.id} after`],
        memory: { content: topic.now, created_at: momentOf(at, true), valid_from: momentOf(at, true) },
      },
    ]);
  }
  const said = sessions.map(({ session, isAfter }) => ({
    turns: turnsOf(session, isAfter),
    created_at: momentOf(session, isAfter),
    session_id: `s${session}${isAfter ? 'b' : 'a'}`,
  }));
  if (shape === 'sessions') {
    return said.map(({ turns, created_at, session_id }) => ({
      holds: turns.flatMap(({ holds }) => holds),
      memory: { turns: turns.map(({ role, content }) => ({ role, content })), created_at, session_id },
    }));
  }
  const seen = new Set<string>();
  return said.flatMap(({ turns, created_at }) =>
    turns.flatMap(({ role, content, holds }) => {
      const line = `[${role}] ${content}`;
      if (seen.has(line)) return [];
      seen.add(line);
      return [{ holds, memory: { content: line, created_at } }];
    }),
  );
}

/** 300 questions: five of each topic. */
export const QUESTIONS: readonly Question[] = TOPICS.flatMap((topic, at) => {
  const day = Date.parse(momentOf(at, false));
  const around = {
    after: new Date(day - 10 * DAY_MS).toISOString(),
    before: new Date(day + 10 * DAY_MS).toISOString(),
  };
  return [
    { topic: topic.id, class: 'exact', query: topic.exact },
    { topic: topic.id, class: 'paraphrase', query: topic.paraphrase },
    { topic: topic.id, class: 'time', query: `What did I say about ${topic.about}?`, ...around },
    { topic: topic.id, class: 'changed', query: `${topic.exact} What is true now?` },
    { topic: topic.id, class: 'negative', query: topic.negative },
  ];
});

/** How good a memory answers a question: 2, 1 or 0. */
export function relevanceOf(question: Question, holds: readonly string[]): number {
  const hasBefore = holds.includes(`${question.topic} before`);
  const hasAfter = holds.includes(`${question.topic} after`);
  switch (question.class) {
    case 'negative':
      return 0;
    case 'time':
      return hasBefore ? 1 : 0;
    case 'changed':
      return hasAfter ? 2 : hasBefore ? 1 : 0;
    default:
      return hasAfter || hasBefore ? 1 : 0;
  }
}

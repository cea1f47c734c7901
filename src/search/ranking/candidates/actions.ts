import type { EntityType } from '../../../model/entity.ts';
import type { FoundUnit } from '../../retrieval/retrieval.ts';
import {
  ACTIONS_BY_WORD,
  type Actions,
  CHANGE,
  CREATE,
  DELETE,
  EXISTING,
  READ,
  RUN,
  SEARCH,
} from '../../text/action-words.ts';
import { analyze } from '../../text/analyzer.ts';
import { actionsAsked } from '../../text/asked-actions.ts';

/*
 * What a query asks for against what a tool does. The tools of a server are about the same things, so words and vectors hardly
 * tell `create_issue` from `delete_issue`; the action does.
 */

/** In cosines, see `tool-choice.ts`; between servers, in distances from the worst candidate to the best, see `by-score.ts`. */
const MATCH = 0.1;
const NEAR = 0.05;
const OTHER_CHANGE = -0.05;
const MISMATCH = -0.15;

const HOW_TO = /^\s*how\b/i;

/** What tools get for their action. null if the query does not tell what it asks for. */
export function actionShares(text: string): ((does: Actions) => number) | null {
  const { actions, certainty } = actionsAsked(text);
  return actions === 0 ? null : (does) => certainty * shareOf(actions, does);
}

function shareOf(asked: Actions, does: Actions): number {
  if (does === 0) return 0;
  if ((asked & does) !== 0) return MATCH;
  if (asked === SEARCH && (does & ~READ) === 0) return NEAR;
  const both = asked | does;
  if ((both & ~READ) === 0) return 0;
  // What is run may read.
  if (does === RUN && (asked & ~READ) === 0) return 0;
  return (both & ~(CHANGE | RUN)) === 0 ? OTHER_CHANGE : MISMATCH;
}

/** What cannot change anything, for a query that surely asks for a change. A memory or a passage tells of it, a skill or a package helps. */
const CANNOT_ACT: Readonly<Partial<Record<EntityType, number>>> = {
  memory: MISMATCH,
  document: MISMATCH,
  skill: -0.1,
  package: -0.1,
};

/**
 * The same between servers, and for what is no tool. What a query only names says too little of its action to move a server.
 * A tool that changes something else gains nothing: `session_close` does not close an issue.
 */
export function sureActionShares(
  text: string,
): ((unit: Pick<FoundUnit, 'actions' | 'title' | 'type'>) => number) | null {
  const { actions: asked, certainty } = actionsAsked(text);
  const share = certainty < 1 ? null : actionShares(text);
  if (share === null) return null;
  if ((asked & READ) !== 0) return ({ actions }) => share(actions);
  const objects = objectsIn(text);
  // A unit is scored more than once, and analyzing its title takes longer than all the rest of its score.
  const areNamed = new Map<string, boolean>();
  const isNamed = (title: string) => {
    let known = areNamed.get(title);
    if (known === undefined) {
      known = analyze(title).some((term) => objects.has(term));
      areNamed.set(title, known);
    }
    return known;
  };
  return ({ actions, title, type }) => {
    const own = CANNOT_ACT[type] ?? share(actions);
    return own > 0 && objects.size > 0 && !isNamed(title) ? 0 : own;
  };
}

/** The terms of a query that tell what it is about: all but those for actions. */
function objectsIn(text: string): ReadonlySet<string> {
  const objects = new Set<string>();
  for (const word of text.split(/\s+/)) {
    if (!ACTIONS_BY_WORD.has(word.toLowerCase())) for (const term of analyze(word)) objects.add(term);
  }
  return objects;
}

/**
 * Whether a tool does the opposite: it only changes things, for a query that surely only reads, it only reads, for one that
 * surely changes something, or it only makes new things, for a query that closes, reopens or deletes one. null for any other
 * query.
 */
export function oppositeOf(text: string): ((does: Actions) => boolean) | null {
  const { actions, certainty } = actionsAsked(text);
  if (actions === 0 || certainty < 1) return null;
  if ((actions & ~READ) === 0) return (does) => does !== 0 && (does & (READ | RUN)) === 0;
  // What makes something may read it: `add two numbers`, `save the attachment`. A question how to do it may ask for a text.
  const isReading = (actions & (READ | RUN | CREATE)) === 0 && !HOW_TO.test(text);
  const isMaking = (actions & (DELETE | EXISTING)) !== 0;
  if (!isReading && !isMaking) return null;
  return (does) => does !== 0 && ((isReading && (does & ~READ) === 0) || (isMaking && does === CREATE));
}

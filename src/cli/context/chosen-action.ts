import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { oneOf } from './context.ts';

/** The action that the first word after a command names. */
export function chosenAction<A>(actions: Readonly<Record<string, A>>, word: string | undefined): A {
  const action = word !== undefined && Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (action !== undefined) return action;
  throw new DowserError('INVALID_REQUEST', `There is no action ${showValue(word)}.`, {
    field: 'action',
    hint: oneOf(word ?? '', Object.keys(actions)),
  });
}

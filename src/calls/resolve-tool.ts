import { showValue } from '../model/parse.ts';
import { callError } from './call-errors.ts';
import { otherSpellings } from './normalize.ts';
import type { CallView, FoundTool } from './tool-caller.ts';

/** Paths that a request may mean, if they are few. */
const MAX_SPELLINGS = 20;

/**
 * The tool that a path means, in the view of its caller. Throws NOT_FOUND: a hidden tool and an absent one get the same answer.
 */
export async function resolveTool(
  view: CallView,
  path: string,
): Promise<{ readonly found: FoundTool; readonly repair: string | null }> {
  const exact = await view.find(path);
  if (exact !== undefined) return { found: exact, repair: null };
  const meant = new Map<string, FoundTool>();
  for (const { server, tool } of otherSpellings(path).slice(0, MAX_SPELLINGS)) {
    for (const at of await view.serversNamed(server)) {
      const found = await view.find(`${at}#${tool}`);
      if (found !== undefined) meant.set(found.path, found);
    }
  }
  const [found, ...others] = meant.values();
  if (found !== undefined && others.length === 0) {
    return { found, repair: `the path of the tool is ${JSON.stringify(found.path)}` };
  }
  const near = found === undefined ? await view.near(path) : [...meant.keys()].sort().slice(0, 3);
  const hint =
    near.length === 0
      ? 'Take a path from search_tools.'
      : `${found === undefined ? 'Perhaps' : 'One of'} ${near.join(', ')}. Or take a path from search_tools.`;
  throw callError('NOT_FOUND', `There is no tool at ${showValue(path)}.`, hint, { field: 'path' });
}

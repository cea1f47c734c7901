import { describe, expect, it } from 'vitest';
import { actionsOfName } from '../text/action-words.ts';
import { actionShares } from './actions.ts';

/** What tools of these names get for a query. */
function sharesOf(query: string, names: readonly string[]): readonly number[] {
  const shares = actionShares(query);
  return names.map((name) => shares?.(actionsOfName(name)) ?? 0);
}

describe('actionShares', () => {
  it.each([
    ['create an issue', 'create_issue', 'delete_issue'],
    ['I need to remove the old label', 'removeLabel', 'addLabel'],
    ['Can you please rename the file?', 'update-file', 'read-file'],
    ['what was decided in the meeting', 'get_minutes', 'create_minutes'],
    ['which tickets are open', 'searchTickets', 'createTicket'],
    ['comments on a page', 'notion-get-comments', 'notion-create-comment'],
    ['my open issues', 'list_issues', 'delete_issue'],
    ['find a tool that deletes files', 'delete_file', 'list_files'],
    ['a server that can send mail', 'send_email', 'read_email'],
    ['get rid of a message', 'delete_email', 'read_email'],
    ['make a chart of sales', 'generate_chart', 'list_charts'],
    ['The event exists already. Adjust it, please.', 'update-event', 'delete-event'],
    ['We lost the value of a flag. Read the key.', 'get', 'set'],
  ])('%s: %s before %s', (query, right, wrong) => {
    const [gain, loss] = sharesOf(query, [right, wrong]);
    expect(gain).toBeGreaterThan(0);
    expect(loss).toBeLessThan(0);
  });

  it('prefers a tool that lists for several things, and takes away nothing from one that gets', () => {
    const [list, get, getSeveral] = sharesOf('grafana dashboards', [
      'list_dashboards',
      'get_dashboard',
      'get_dashboards',
    ]);
    expect(list).toBeGreaterThan(0);
    expect(getSeveral).toBe(list);
    expect(get).toBe(0);
  });

  it('takes away less from another change than from an opposite', () => {
    const [update, remove] = sharesOf('create a page', ['update_page', 'delete_page']);
    expect(update).toBeLessThan(0);
    expect(remove).toBeLessThan(update!);
  });

  it('changes nothing when the query or the name does not tell', () => {
    expect(sharesOf('mute alerts during the window', ['list_alerts', 'schedule_downtime'])).toEqual([0, 0]);
    expect(sharesOf('weather', ['get_weather'])).toEqual([0]);
    expect(sharesOf('delete the branch', ['git_branch'])).toEqual([0]);
    expect(sharesOf('', ['get_weather'])).toEqual([0]);
  });

  it('reads a long text in bounded time', () => {
    expect(sharesOf('a'.repeat(8192), ['get_weather'])).toEqual([0]);
    expect(sharesOf('please '.repeat(1000), ['get_weather'])).toEqual([0]);
    expect(sharesOf('which '.repeat(1300), ['get_weather'])[0]).toBeGreaterThanOrEqual(0);
  });
});

import { describe, expect, it } from 'vitest';
import { actionsOfName } from '../../text/action-words.ts';
import { actionShares, oppositeOf, sureActionShares } from './actions.ts';

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
    ['my open issues', 'list_issues', 'open_issue'],
    ['who reviewed this merge request', 'get_merge_request', 'merge_pull_request'],
    ['how many builds failed', 'list_builds', 'create_build'],
    ['is there a table for orders', 'list_tables', 'create_table'],
    ['merge requests waiting for me', 'list_merge_requests', 'create_merge_request'],
    ['webhooks of the shop', 'list_webhooks', 'create_webhook'],
    ['close an issue', 'issue_write', 'open_issue'],
    ['new ticket for Anna', 'create_ticket', 'list_tickets'],
    ['the old entry in the wiki has to go', 'delete_page', 'get_page'],
    ['take the brochure off the list', 'remove_file', 'list_files'],
    ['look up the price of gold', 'get_price', 'set_price'],
    ['run the nightly job', 'trigger_job', 'delete_job'],
    ['store in memory that I like tea', 'save_memory', 'search_memories'],
    ['find a tool that deletes files', 'delete_file', 'list_files'],
    ['a server that can send mail', 'send_email', 'read_email'],
    ['get rid of a message', 'delete_email', 'read_email'],
    ['make a chart of sales', 'generate_chart', 'list_charts'],
    ['write a new page', 'create_page', 'update_page'],
    ['reply to the ticket', 'create_ticket_reply', 'get_ticket'],
    ['preview the next release', 'show_release', 'add_release'],
    ['look through the table', 'search_records', 'delete_record'],
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

  it.each(['find the page on taxes', 'search for a page on taxes'])('prefers a tool that searches: %s', (query) => {
    const [search, list, get] = sharesOf(query, ['search_pages', 'list_pages', 'get_page']);
    expect(search).toBeGreaterThan(list!);
    expect(list).toBeGreaterThan(0);
    expect(get).toBe(list);
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

  it('knows one thing from several: `details`, `this` and `status` are one', () => {
    const [list, get] = sharesOf('who reviewed this merge request', ['list_reviews', 'get_review']);
    expect(list).toBe(get);
    const [one, several] = sharesOf('output of a container', ['get_output', 'list_containers']);
    expect(one).toBeGreaterThan(several!);
    expect(sharesOf('my open issues', ['get_issue_details', 'get_issues'])).toEqual([0, expect.closeTo(0.1, 9)]);
  });

  it('moves no server for what a query only names', () => {
    expect(sureActionShares('orm for postgres')).toBeNull();
    expect(sureActionShares('webhooks in the shop')).toBeNull();
    expect(sureActionShares('my open issues')).not.toBeNull();
  });

  it('says surely that a tool only changes things, for a query that surely only reads', () => {
    const isOpposite = oppositeOf('my open issues')!;
    const names = ['open_issue', 'close_issue', 'list_issues', 'run_query', 'issues'];
    expect(names.map((name) => isOpposite(actionsOfName(name)))).toEqual([true, true, false, false, false]);
    for (const query of ['create an issue', 'open an issue', 'weather', 'papers on attention', 'buy a lamp']) {
      expect([query, oppositeOf(query)]).toEqual([query, null]);
    }
  });

  it('says surely that a tool only makes new things or reads, for a query that closes or deletes one', () => {
    const names = ['open_issue', 'create_issue', 'close_issue', 'issue_write', 'update_issue', 'list_issues'];
    for (const query of ['close an issue', 'reopen the issue', 'resolve the issue', 'delete this issue']) {
      const opposite = names.filter((name) => oppositeOf(query)!(actionsOfName(name)));
      expect([query, opposite]).toEqual([query, ['open_issue', 'create_issue', 'list_issues']]);
    }
  });

  it('says surely that a tool only reads, for a query that changes what exists', () => {
    const names = ['pod_logs', 'get_pod', 'list_pods', 'restart_pod', 'run_command', 'create_pod'];
    for (const query of ['restart the web pod', 'please rename the pod']) {
      const opposite = names.filter((name) => oppositeOf(query)!(actionsOfName(name)));
      expect([query, opposite]).toEqual([query, ['get_pod', 'list_pods']]);
    }
    // What makes something may read: these tools are `get_sum` and `download_attachment`.
    for (const query of ['add two numbers', 'save the attachment', 'how to restart a pod'])
      expect([query, oppositeOf(query)]).toEqual([query, null]);
  });

  it('takes a query that says that it changes nothing for one that reads', () => {
    const [read, write] = sharesOf('match nodes in neo4j without changing anything', ['read_cypher', 'write_cypher']);
    expect(read).toBeGreaterThan(0);
    expect(write).toBeLessThan(0);
    const [select] = sharesOf('run a query without changing the table', ['read_query', 'write_query']);
    expect(select).toBeGreaterThan(0);
  });

  it.each([
    ['rename a branch without touching its files', 'rename_branch', 'read_branch'],
    ['delete the rows without changing the schema', 'delete_rows', 'list_rows'],
    ['create a read-only user', 'create_user', 'get_user'],
    ['please remove the read-only flag', 'remove_flag', 'get_flag'],
  ])('takes a change that leaves something else alone for a change: %s', (query, change, read) => {
    const [changing, reading] = sharesOf(query, [change, read]);
    expect(changing).toBeGreaterThan(0);
    expect(reading).toBeLessThan(0);
    expect(oppositeOf(query)?.(actionsOfName(change)) ?? false).toBe(false);
  });

  it('says nothing of a thing that is made read-only', () => {
    expect(sharesOf('make the folder read-only', ['read_folder', 'update_folder'])).toEqual([0, 0]);
  });

  it('lowers what can change nothing, for a query that surely asks for a change', () => {
    const share = (query: string, type: 'memory' | 'document' | 'skill' | 'package' | 'a2a_agent') =>
      sureActionShares(query)!({ type, title: 'Meeting notes', actions: 0 });
    for (const type of ['memory', 'document', 'skill', 'package'] as const)
      expect(share('schedule a meeting', type)).toBeLessThan(0);
    expect(share('schedule a meeting', 'a2a_agent')).toBe(0);
    expect(share('list the meetings', 'skill')).toBe(0);
  });

  it('moves a server for the action only if the tool names what is to be changed', () => {
    const share = (query: string, title: string) =>
      sureActionShares(query)!({ type: 'tool', title, actions: actionsOfName(title) });
    expect(share('close an issue', 'issue_write')).toBeGreaterThan(0);
    expect(share('close an issue', 'session_close')).toBe(0);
    expect(share('close the browser session', 'session_close')).toBeGreaterThan(0);
    expect(share('reopen the ticket', 'update_ticket')).toBeGreaterThan(0);
    expect(share('close an issue', 'list_sessions')).toBeLessThan(0);
    expect(share('list everything in the bucket', 'list_objects')).toBeGreaterThan(0);
  });

  it('gives the same to a tool whenever it is asked, after whichever others', () => {
    const share = sureActionShares('close an issue')!;
    const of = (title: string) => share({ type: 'tool', title, actions: actionsOfName(title) }) > 0;
    const titles = ['session_close', 'issue_write', 'session_close', 'issue_close', 'issue_write', 'session_close'];
    expect(titles.map(of)).toEqual([false, true, false, true, true, false]);
  });

  it('reads a long text in bounded time', () => {
    expect(sharesOf('a'.repeat(8192), ['get_weather'])).toEqual([0]);
    expect(sharesOf('please '.repeat(1000), ['get_weather'])).toEqual([0]);
    expect(sharesOf('which '.repeat(1300), ['get_weather'])[0]).toBeGreaterThanOrEqual(0);
  });
});

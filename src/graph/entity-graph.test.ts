import { describe, expect, it } from 'vitest';
import { STRANGER, UNRESTRICTED } from '../model/caller/caller.ts';
import { parseEntity } from '../model/entity.ts';
import type { EntityId } from '../model/entity-parts/entity-id.ts';
import { EntityGraph } from './entity-graph.ts';

function graphOf(...entities: readonly object[]): EntityGraph {
  const graph = new EntityGraph();
  for (const entity of entities) graph.set(parseEntity(entity).entity);
  return graph;
}

const tool = (name: string, required: readonly string[] = [], output: readonly string[] = []) => ({
  name,
  inputSchema: { type: 'object', properties: {}, required },
  ...(output.length === 0
    ? {}
    : {
        outputSchema: {
          properties: { items: { items: { properties: Object.fromEntries(output.map((f) => [f, {}])) } } },
        },
      }),
});
const server = (path: string, ...tools: readonly object[]) => ({ type: 'mcp_server', path, name: path, tools });
const derived = (graph: EntityGraph, node: string) =>
  graph
    .derived(node as EntityId, UNRESTRICTED)
    .map(({ source, target, type, via }) => `${source} ${type} ${target} (${via})`);

describe('edges from tool schemas', () => {
  const tracker = server(
    '/tracker',
    tool('list_issues', ['project']),
    tool('create_issue', ['title']),
    tool('get_issue', ['issueId']),
    tool('delete_issue', ['issueId']),
    tool('list_comments', ['issueId']),
  );

  it('lead from what lists or makes a thing to what needs its id, in both directions', () => {
    const graph = graphOf(tracker);
    expect(derived(graph, 'tool:/tracker#get_issue')).toEqual([
      'tool:/tracker#create_issue PRODUCES_FOR tool:/tracker#get_issue (issueId)',
      'tool:/tracker#list_issues PRODUCES_FOR tool:/tracker#get_issue (issueId)',
    ]);
    expect(derived(graph, 'tool:/tracker#list_issues')).toHaveLength(3);
    expect(derived(graph, 'tool:/tracker#list_comments')).toHaveLength(2);
  });

  it('stay within a server, unless an output schema has the field', () => {
    const other = server('/board', tool('get_issue', ['issueId']), tool('move_card', ['cardId']));
    expect(derived(graphOf(tracker, other), 'tool:/board#get_issue')).toEqual([]);
    const giver = server('/deck', tool('open_deck', [], ['cardId']));
    expect(derived(graphOf(other, giver), 'tool:/board#move_card')).toEqual([
      'tool:/deck#open_deck PRODUCES_FOR tool:/board#move_card (cardId)',
    ]);
  });

  it('keep things of different kinds apart', () => {
    const items = server('/b', tool('create_image_item'), tool('delete_text_item', ['itemId']), tool('list_items'));
    expect(derived(graphOf(items), 'tool:/b#delete_text_item')).toEqual([
      'tool:/b#list_items PRODUCES_FOR tool:/b#delete_text_item (itemId)',
    ]);
  });

  it('follow a change of the server', () => {
    const graph = graphOf(tracker);
    graph.set(parseEntity(server('/tracker', tool('get_issue', ['issueId']))).entity);
    expect(derived(graph, 'tool:/tracker#get_issue')).toEqual([]);
    graph.delete('mcp_server:/tracker' as EntityId);
    expect(derived(graph, 'tool:/tracker#get_issue')).toEqual([]);
  });
});

describe('other edges of entities', () => {
  it('join the tools of a virtual server', () => {
    const virtual = {
      type: 'virtual_server',
      path: '/virtual/travel',
      name: 'travel',
      tool_mappings: [
        { tool_name: 'book', backend_server_path: '/flights' },
        { tool_name: 'add_event', backend_server_path: 'calendar' },
      ],
    };
    const graph = graphOf(virtual);
    const edges = ['tool:/calendar#add_event INTEGRATES_WITH tool:/flights#book (/virtual/travel)'];
    expect(derived(graph, 'tool:/flights#book')).toEqual(edges);
    expect(derived(graph, 'tool:/calendar#add_event')).toEqual(edges);
    graph.delete('virtual_server:/virtual/travel' as EntityId);
    expect(derived(graph, 'tool:/flights#book')).toEqual([]);
  });

  it('join entities that share a rare tag, and not a common one', () => {
    const tagged = (n: number, ...tags: readonly string[]) => ({ type: 'skill', path: `/s${n}`, name: `s${n}`, tags });
    const graph = graphOf(
      tagged(1, 'Fax', 'mail'),
      tagged(2, 'fax', 'mail'),
      ...[3, 4, 5, 6].map((n) => tagged(n, 'mail')),
    );
    expect(derived(graph, 'skill:/s1')).toEqual(['skill:/s1 RELATED_TO skill:/s2 (fax)']);
    expect(derived(graph, 'skill:/s3')).toEqual([]);
  });

  it('lead from a text to the names in it', () => {
    const graph = graphOf(
      { type: 'skill', path: '/skills/report', name: 'report', body: 'Then use `pdf-tools`, and/or /skills/mail.' },
      { type: 'skill', path: '/skills/pdf', name: 'PDF-tools' },
      { type: 'skill', path: '/skills/mail', name: 'mail' },
    );
    expect(derived(graph, 'skill:/skills/report')).toEqual([
      'skill:/skills/report INTEGRATES_WITH skill:/skills/mail (/skills/mail)',
      'skill:/skills/report INTEGRATES_WITH skill:/skills/pdf (pdf-tools)',
    ]);
    expect(derived(graph, 'skill:/skills/pdf')).toHaveLength(1);
  });

  it('lead from a package to its dependencies of the same ecosystem', () => {
    const pkg = (path: string, ecosystem: string, dependencies: unknown = []) => ({
      type: 'package',
      path,
      name: path,
      ecosystem,
      package_name: path.slice(1),
      metadata: { dependencies },
    });
    const graph = graphOf(pkg('/app', 'npm', { redis: '^4', left: '*' }), pkg('/redis', 'npm'), pkg('/left', 'pypi'));
    const edges = ['package:/app REQUIRES package:/redis (redis)'];
    expect(derived(graph, 'package:/app')).toEqual(edges);
    expect(derived(graph, 'package:/redis')).toEqual(edges);
    expect(derived(graph, 'package:/left')).toEqual([]);
  });

  it('are what an entity says itself, with ids or paths of its own type, and never lead to itself', () => {
    const relation = (target: string) => ({ type: 'REQUIRES', target, weight: 2 });
    const graph = graphOf({
      type: 'package',
      path: '/p',
      name: 'p',
      relations: ['/q', 'tool:/s#t', '/p'].map(relation),
    });
    const targets = graph.given('package:/p' as EntityId).map(({ target }) => target);
    expect(targets).toEqual(['package:/q', 'tool:/s#t']);
    expect(graph.given('tool:/s#t' as EntityId)).toHaveLength(1);
    graph.delete('package:/p' as EntityId);
    expect(graph.given('tool:/s#t' as EntityId)).toEqual([]);
  });
});

describe('entities that a caller may not see', () => {
  const hidden = { visibility: 'private', owner: 'ada' };
  const seenBy = (graph: EntityGraph, node: string) => graph.derived(node as EntityId, STRANGER);
  const many = (make: (n: number) => object) => Array.from({ length: 40 }, (_, n) => ({ ...make(n), ...hidden }));
  // Before and after the others, in writes and by name.
  const around = (visible: readonly object[], more: readonly object[]) =>
    graphOf(...more.slice(20), ...visible, ...more.slice(0, 20));
  const skill = (path: string, description: string, tags: readonly string[] = []) => ({
    type: 'skill',
    path,
    name: path,
    description,
    tags,
  });
  const CASES: readonly (readonly [string, string, readonly object[], readonly object[]])[] = [
    [
      'schemas',
      'tool:/board#move_card',
      [server('/board', tool('move_card', ['cardId'])), server('/deck', tool('open_deck', [], ['cardId']))],
      many((n) => server(`/a${n}`, tool('open_deck', [], ['cardId']))),
    ],
    [
      'mentions',
      'skill:/my-notes',
      [skill('/my-notes', 'Notes'), skill('/reader', 'Reads my-notes')],
      many((n) => skill(`/a${n}`, 'Reads my-notes')),
    ],
    [
      'tags',
      'skill:/a',
      [skill('/a', '', ['rare']), skill('/b', '', ['rare'])],
      many((n) => skill(`/0${n}`, '', ['rare'])),
    ],
    [
      'dependencies',
      'package:npm:zod',
      [
        { type: 'package', path: 'npm:zod', name: 'zod', package_name: 'zod', ecosystem: 'npm' },
        { type: 'package', path: 'npm:z', name: 'z', ecosystem: 'npm', metadata: { dependencies: ['zod'] } },
      ],
      many((n) => ({
        type: 'package',
        path: `npm:a${n}`,
        name: 'a',
        ecosystem: 'npm',
        metadata: { dependencies: ['zod'] },
      })),
    ],
    [
      'virtual servers',
      'tool:/deck#open_deck',
      [
        server('/deck', tool('open_deck'), tool('close_deck')),
        server('/room', tool('open_room')),
        {
          type: 'virtual_server',
          path: '/v',
          name: 'v',
          tool_mappings: ['/deck#open_deck', '/room#open_room']
            .map((at) => at.split('#'))
            .map(([backend_server_path, tool_name]) => ({ backend_server_path, tool_name })),
        },
      ],
      many((n) => ({
        type: 'virtual_server',
        path: `/a${n}`,
        name: 'a',
        tool_mappings: ['open_deck', 'close_deck'].map((tool_name) => ({ tool_name, backend_server_path: '/deck' })),
      })),
    ],
  ];

  it.each(CASES)('change no edge from %s', (_, node, visible, more) => {
    const expected = seenBy(graphOf(...visible), node);
    expect(expected).not.toEqual([]);
    expect(seenBy(around(visible, more), node)).toEqual(expected);
  });
});

describe('edges from install lines', () => {
  const pkg = (ecosystem: string, package_name: string, more: object = {}) => ({
    type: 'package',
    path: `/${ecosystem}-${package_name}`,
    name: package_name,
    ecosystem,
    package_name,
    ...more,
  });
  const skill = (body: string) => ({ type: 'skill', path: '/pdf', name: 'pdf', description: 'Reads PDF files', body });

  it('lead from a text to the registered packages that it tells to install', () => {
    const body = 'Needs:\n\n    pip install Pdf_Plumber\n    npm install unpdf not-registered\n\nWorks like zod.';
    const graph = graphOf(
      skill(body),
      pkg('pypi', 'pdfplumber'),
      pkg('PyPI', 'pdf.plumber'),
      pkg('npm', 'unpdf'),
      pkg('npm', 'zod'),
    );
    expect(derived(graph, 'skill:/pdf').filter((edge) => edge.includes('REQUIRES'))).toEqual([
      'skill:/pdf REQUIRES package:/PyPI-pdf.plumber (pdf-plumber)',
      'skill:/pdf REQUIRES package:/npm-unpdf (unpdf)',
    ]);
    expect(derived(graph, 'package:/npm-unpdf')).toEqual(['skill:/pdf REQUIRES package:/npm-unpdf (unpdf)']);
    expect(derived(graph, 'package:/npm-zod')).toEqual([]);
    graph.delete('skill:/pdf' as EntityId);
    expect(derived(graph, 'package:/npm-unpdf')).toEqual([]);
  });

  it('are none of a package: its text installs itself and what others use', () => {
    const own = pkg('npm', 'unpdf', { description: 'Run `npm install unpdf zod`' });
    expect(derived(graphOf(own, pkg('npm', 'zod')), 'package:/npm-unpdf')).toEqual([]);
  });

  it('are hidden with their packages', () => {
    const hidden = pkg('npm', 'unpdf', { visibility: 'private', owner: 'ada' });
    const graph = graphOf(skill('npm install unpdf'), hidden);
    expect(derived(graph, 'skill:/pdf')).toHaveLength(1);
    expect(graph.derived('skill:/pdf' as EntityId, STRANGER)).toEqual([]);
  });
});

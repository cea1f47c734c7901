/**
 * Every command as data: the help, the parser and the tests of `docs/cli.md` are all read from it. Imports nothing, so
 * that `--help` costs hardly more than starting the runtime.
 */
export interface OptionInfo {
  /** As a user types it: `--limit <n>`. */
  readonly flags: string;
  readonly summary: string;
  /** May be given several times. */
  readonly repeat?: true;
}

export interface CommandInfo {
  readonly name: string;
  /** As a user types them: `<query...>`. */
  readonly args: readonly string[];
  readonly summary: string;
  /** What the words of the usage stand for, where they do not say it themselves; a paragraph each. */
  readonly notes?: readonly string[];
  readonly options: readonly OptionInfo[];
  readonly examples: readonly string[];
}

const TYPES = 'The types are mcp_server, tool, virtual_server, a2a_agent, skill, package, memory and document.';

const DATA: OptionInfo = {
  flags: '--data <dir>',
  summary: 'the data folder (default: the platform’s own; see `dowser doctor`)',
};
const JSON_OUT: OptionInfo = { flags: '--json', summary: 'print JSON instead of text' };
const PRESET: OptionInfo = {
  flags: '--preset <name>',
  summary: 'the ranking to use, such as keyword or vector (default: hybrid)',
};

export const COMMANDS = [
  {
    name: 'serve',
    args: [],
    summary: 'serve the registry over HTTP',
    options: [
      { flags: '--port <n>', summary: 'the port, 0 for any free one (default: 7470)' },
      { flags: '--host <address>', summary: 'the address to serve on (default: 127.0.0.1)' },
      { flags: '--example', summary: 'load the example catalog if the registry is empty' },
      {
        flags: '--log-level <level>',
        summary: 'trace, debug, info (default), warn (on a terminal), error, fatal, silent',
      },
      DATA,
    ],
    examples: ['dowser serve --example', 'dowser serve --port 8080 --data ./registry'],
  },
  {
    name: 'search',
    args: ['[query...]'],
    summary: 'search by keyword and by meaning',
    notes: [TYPES],
    options: [
      {
        flags: '--type <type>',
        summary: 'only this entity type, or several with commas; may be repeated',
        repeat: true,
      },
      { flags: '--tag <tag>', summary: 'only with this tag; may be repeated; needs no query', repeat: true },
      { flags: '--limit <n>', summary: 'how many results, 1 to 50 (default: 10)' },
      { flags: '--offset <n>', summary: 'how many results to pass over, 0 to 450 (default: 0)' },
      { flags: '--min-confidence <n>', summary: 'only results that are at least so sure, 0 to 1' },
      { flags: '--facets <fields>', summary: 'count what matched by entity_type, tags, status or visibility' },
      PRESET,
      { flags: '--explain', summary: 'show for each result what its score is made of' },
      { flags: '--include-draft', summary: 'also what is in draft' },
      { flags: '--include-deprecated', summary: 'also what is deprecated' },
      { flags: '--include-disabled', summary: 'also what is switched off' },
      { flags: '--drifted', summary: 'only what has changed since it was accepted' },
      JSON_OUT,
      DATA,
    ],
    examples: [
      'dowser search read a web page',
      'dowser search "send email" --type tool --limit 5',
      'dowser search --tag database --facets entity_type',
    ],
  },
  {
    name: 'mcp',
    args: [],
    summary: 'serve the registry to one MCP client over standard input and output',
    options: [
      { flags: '--log-level <level>', summary: 'trace, debug, info, warn, error, fatal or silent (default: warn)' },
      DATA,
    ],
    examples: ['dowser mcp', 'dowser mcp --data ./registry'],
  },
  {
    name: 'import',
    args: ['<file...>'],
    summary: 'add or update entities from JSON Lines files',
    notes: ['One entity a line: {"type": "mcp_server", "path": "/clock", "name": "Clock", "description": "..."}'],
    options: [
      { flags: '--lexical', summary: 'do not compute vectors now' },
      { flags: '--strict', summary: 'exit with 1 if any line was rejected or any vector is missing' },
      JSON_OUT,
      DATA,
    ],
    examples: ['dowser import catalog.jsonl', 'dowser import *.jsonl --strict'],
  },
  {
    name: 'add',
    args: ['[what...]'],
    summary: 'add MCP servers, agents, skills or registries',
    notes: [
      'What to add is the address of a server, an agent or a registry, a configuration of a client, a SKILL.md or a folder of them, or after -- the command that starts a server.',
    ],
    options: [
      { flags: '--kind <kind>', summary: 'mcp, config, a2a, skill, server, registry or ard, in place of a guess' },
      { flags: '--name <name>', summary: 'what to call a server, in place of its own name' },
      {
        flags: '--env <name>',
        summary: 'pass a variable on to the command, NAME or NAME=value; may be repeated',
        repeat: true,
      },
      { flags: '--header <header>', summary: "send a header, 'Name: value'; may be repeated", repeat: true },
      { flags: '--timeout <seconds>', summary: 'how long to wait for a server (default: 10)' },
      { flags: '--replace', summary: 'let addresses and lists replace what came from elsewhere' },
      { flags: '--dry-run', summary: 'say what would be added, and store nothing' },
      { flags: '--lexical', summary: 'do not compute vectors now' },
      { flags: '--strict', summary: 'exit with 1 if anything could not be added' },
      JSON_OUT,
      DATA,
    ],
    examples: [
      'dowser add -- npx -y @modelcontextprotocol/server-memory',
      'dowser add ~/.cursor/mcp.json ./skills',
      'dowser add https://mcp.example.com/mcp --header "X-Api-Key: $KEY"',
    ],
  },
  {
    name: 'refresh',
    args: ['[what...]'],
    summary: 'read again what was added: all, or the sources of these paths',
    options: [
      { flags: '--timeout <seconds>', summary: 'how long to wait for a server (default: 10)' },
      { flags: '--trust', summary: 'also read sources that were not added with this data folder' },
      { flags: '--lexical', summary: 'do not compute vectors now' },
      { flags: '--strict', summary: 'exit with 1 if anything is dead or has drifted' },
      JSON_OUT,
      DATA,
    ],
    examples: ['dowser refresh', 'dowser refresh /memory-server --strict'],
  },
  {
    name: 'drift',
    args: ['[entity...]'],
    summary: 'show whose tools or texts changed since they were accepted',
    options: [{ flags: '--accept', summary: 'accept the changes of these, or of all' }, JSON_OUT, DATA],
    examples: ['dowser drift', 'dowser drift mcp_server:/memory-server --accept'],
  },
  {
    name: 'get',
    args: ['<type>', '<path>'],
    summary: 'show everything that is registered about one entity',
    notes: [TYPES],
    options: [JSON_OUT, DATA],
    examples: ['dowser get mcp_server /fetch', 'dowser get skill pdf --json'],
  },
  {
    name: 'delete',
    args: ['<type>', '<path>'],
    summary: 'delete one entity, without asking',
    notes: [TYPES],
    options: [JSON_OUT, DATA],
    examples: ['dowser delete mcp_server /fetch'],
  },
  {
    name: 'explain',
    args: ['<query>', '<entity>'],
    summary: 'show why an entity (type:path or path) has its score for a query',
    options: [PRESET, JSON_OUT, DATA],
    examples: ['dowser explain "read a web page" mcp_server:/fetch'],
  },
  {
    name: 'eval',
    args: ['<dir...>'],
    summary: 'measure rankings on folders of labeled queries',
    notes: [
      'A folder has corpus.jsonl (entities, as for import), queries.jsonl ({"id", "text"}) and qrels.jsonl ({"query_id", "doc_id", "relevance"}, where doc_id is the path of an entity).',
      'The metrics are ndcg@10, mrr, recall@5, recall@10, hit@1 and zero_hit, each from 0 to 1.',
    ],
    options: [
      {
        flags: '--preset <name>',
        summary: 'a ranking to measure; may be repeated',
        repeat: true,
      },
      { flags: '--split <name>', summary: 'only queries of this split' },
      { flags: '--queries <n>', summary: 'at most so many queries of each set, evenly spread' },
      {
        flags: '--fail-under <metric=value>',
        summary: 'exit with 1 if the first ranking misses it',
        repeat: true,
      },
      { flags: '--dump <file>', summary: 'write the answer to every query to a file' },
      { flags: '--compare', summary: 'compare two such files instead of measuring' },
      JSON_OUT,
      DATA,
    ],
    examples: ['dowser eval my-set', 'dowser eval sets/* --split dev --preset hybrid --fail-under ndcg@10=0.7'],
  },
  {
    name: 'model',
    args: ['[action]'],
    summary: 'the local embedding model: status (default), pull or path',
    notes: [
      'status lists the models there are and marks the one that is used, pull fetches that one, path prints its folder.',
    ],
    options: [JSON_OUT, DATA],
    examples: ['dowser model', 'dowser model pull'],
  },
  {
    name: 'reindex',
    args: ['[paths...]'],
    summary: 'compute vectors anew, of some paths, of everything or of what has none',
    options: [
      { flags: '--all', summary: 'of everything, past every cache' },
      { flags: '--missing', summary: 'only where there is none yet' },
      JSON_OUT,
      DATA,
    ],
    examples: ['dowser reindex --missing', 'dowser reindex /fetch skill:/skills/pdf', 'dowser reindex --all'],
  },
  {
    name: 'doctor',
    args: [],
    summary: 'check that everything Dowser needs is in order',
    options: [JSON_OUT, DATA],
    examples: ['dowser doctor'],
  },
] as const satisfies readonly CommandInfo[];

export type CommandName = (typeof COMMANDS)[number]['name'];

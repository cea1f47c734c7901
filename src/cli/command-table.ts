/**
 * Every command as data, for the help, the parser, shell completion and the tests of `docs/cli.md`. Imports nothing, so that
 * `--help` is fast.
 */
export interface OptionInfo {
  /** As a user types it: `--limit <n>`. */
  readonly flags: string;
  readonly summary: string;
  /** May be given several times. */
  readonly repeat?: true;
  /** Every value it takes, for shell completion. */
  readonly choices?: readonly string[];
}

export interface CommandInfo {
  readonly name: string;
  /** The scope that the key in `DOWSER_KEY` needs, if there is one. `none`: the command does not use the registry. */
  readonly right: 'none' | 'read' | 'write' | 'admin';
  /** Other names of the command. */
  readonly aliases?: readonly string[];
  /** As a user types them: `<query...>`. */
  readonly args: readonly string[];
  /** Every value that the first argument takes, for shell completion. */
  readonly choices?: readonly string[];
  readonly summary: string;
  /** Paragraphs that explain the arguments. */
  readonly notes?: readonly string[];
  readonly options: readonly OptionInfo[];
  readonly examples: readonly string[];
}

const TYPES = ['mcp_server', 'tool', 'virtual_server', 'a2a_agent', 'skill', 'package', 'memory', 'document'];
const STATUSES = ['active', 'beta', 'deprecated', 'draft'];

const TYPE_NOTE = `The types are ${TYPES.slice(0, -1).join(', ')} and ${TYPES.at(-1)}.`;
const ENTITY_NOTE =
  'Name the entity as type:path, as `add` and `list` print it, by its path alone, or as type and path in two words.';

const DATA: OptionInfo = {
  flags: '--data <dir>',
  summary: 'the data folder (default: the platform’s own; see `dowser doctor`)',
};
const JSON_OUT: OptionInfo = { flags: '--json', summary: 'print JSON instead of text' };
const LEXICAL: OptionInfo = { flags: '--lexical', summary: 'do not compute vectors now' };
const PRESET: OptionInfo = {
  flags: '--preset <name>',
  summary: 'the ranking to use, such as keyword or vector (default: hybrid)',
  choices:
    'hybrid registry registry-legacy lexical linear adaptive anchored documents memory memory-legacy memory-rrf keyword vector rrf recommend recommend-legacy'.split(
      ' ',
    ),
};
const TYPE: OptionInfo = {
  flags: '--type <type>',
  summary: 'only this entity type, or several with commas; may be repeated',
  repeat: true,
  choices: TYPES,
};
const LIMIT: OptionInfo = { flags: '--limit <n>', summary: 'how many (default: 50)' };
const LOG_LEVEL: OptionInfo = {
  flags: '--log-level <level>',
  summary: 'trace, debug, info, warn, error, fatal or silent (default: warn)',
  choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
};
const TAG: OptionInfo = { flags: '--tag <tag>', summary: 'only with this tag; may be repeated', repeat: true };
const TIMEOUT: OptionInfo = {
  flags: '--timeout <seconds>',
  summary: 'how long to wait for a server (default: 10)',
};

export const COMMANDS = [
  {
    name: 'serve',
    right: 'admin',
    args: [],
    summary: 'serve the registry over HTTP',
    options: [
      { flags: '--port <n>', summary: 'the port, 0 for any free one (default: 7470)' },
      { flags: '--host <address>', summary: 'the address to serve on (default: 127.0.0.1)' },
      { flags: '--auth', summary: 'demand credentials (default: if other machines can reach the server)' },
      { flags: '--open', summary: 'let everyone read who can reach the server, without credentials' },
      { flags: '--example', summary: 'load the example catalog into a new, empty registry' },
      { flags: '--no-web', summary: 'do not serve the web page' },
      { ...LOG_LEVEL, summary: 'trace, debug, info (default), warn (on a terminal), error, fatal, silent' },
      DATA,
    ],
    examples: ['dowser serve --example', 'dowser serve --port 8080 --data ./registry'],
  },
  {
    name: 'search',
    right: 'read',
    args: ['[query...]'],
    summary: 'search by keyword and by meaning',
    notes: [TYPE_NOTE],
    options: [
      TYPE,
      { ...TAG, summary: 'only with this tag; may be repeated; needs no query' },
      { flags: '--limit <n>', summary: 'how many results, 1 to 50 (default: 10)' },
      { flags: '--offset <n>', summary: 'how many results to skip, 0 to 450 (default: 0)' },
      { flags: '--min-confidence <n>', summary: 'minimum confidence, 0 to 1' },
      {
        flags: '--facets <fields>',
        summary: 'count the matches by fields such as tags,license',
        choices: 'entity_type tags status visibility language category license deployment'.split(' '),
      },
      PRESET,
      { flags: '--explain', summary: 'show what each score is made of' },
      { flags: '--why-not <id>', summary: 'say why this entity is not among the results' },
      { flags: '--include-draft', summary: 'include drafts' },
      { flags: '--include-deprecated', summary: 'include deprecated entities' },
      { flags: '--include-disabled', summary: 'include disabled entities' },
      { flags: '--drifted', summary: 'only entities with changes that have not been accepted' },
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
    name: 'recommend',
    right: 'read',
    args: ['<need...>'],
    summary: 'recommend one or two options for a need',
    notes: ['Options that leave nothing are dropped in the order deployment, license, category, language.'],
    options: [
      { flags: '--language <name>', summary: 'only for this language, such as typescript' },
      { flags: '--category <name>', summary: 'only of this category, such as orm' },
      { flags: '--license <id>', summary: 'only with this license, such as MIT' },
      { flags: '--deployment <name>', summary: 'only with this deployment, such as self-hosted' },
      TYPE,
      {
        flags: '--preset <name>',
        summary: 'recommend or recommend-legacy (default: recommend)',
        choices: ['recommend', 'recommend-legacy'],
      },
      JSON_OUT,
      DATA,
    ],
    examples: ['dowser recommend "orm for postgres" --language typescript --license MIT'],
  },
  {
    name: 'list',
    right: 'read',
    args: ['[type]'],
    choices: TYPES,
    summary: 'list what is registered',
    notes: [TYPE_NOTE],
    options: [
      TAG,
      {
        flags: '--status <status>',
        summary: 'only active, beta, deprecated or draft; may be repeated',
        repeat: true,
        choices: STATUSES,
      },
      { flags: '--query <text>', summary: 'only with this text in it, upper or lower case' },
      LIMIT,
      JSON_OUT,
      DATA,
    ],
    examples: ['dowser list', 'dowser list mcp_server --tag database', 'dowser list --status deprecated'],
  },
  {
    name: 'tags',
    right: 'read',
    args: [],
    summary: 'list the tags in use, most used first',
    options: [LIMIT, JSON_OUT, DATA],
    examples: ['dowser tags', 'dowser tags --limit 10'],
  },
  {
    name: 'mcp',
    right: 'read',
    args: [],
    summary: 'serve the registry to one MCP client over standard input and output',
    options: [
      {
        flags: '--toolset <name>',
        summary: 'all (default), registry, memory (the memory service) or recommend (ToolPilot)',
        choices: ['all', 'registry', 'memory', 'recommend'],
      },
      LOG_LEVEL,
      DATA,
    ],
    examples: ['dowser mcp', 'dowser mcp --data ./registry'],
  },
  {
    name: 'memory',
    right: 'read',
    args: ['<action>', '[words...]'],
    choices: ['add', 'search', 'list', 'show', 'supersede', 'forget', 'audit', 'import'],
    summary: 'store, find, correct and forget memories',
    notes: [
      'add TEXT, search QUERY, list, show HASH, supersede HASH NEW-TEXT, forget HASH, audit [FILE], import FILE.',
      'A hash may be shortened to its first 8 characters. The text - is standard input.',
      'import and audit read the SQLite file of a memory service, the JSON file of the reference memory server, or a JSON list.',
    ],
    options: [
      TAG,
      { flags: '--match <how>', summary: 'any (default) or all of the tags', choices: ['any', 'all'] },
      { flags: '--type <word>', summary: 'the type of the memory, such as decision' },
      {
        flags: '--source <class>',
        summary: 'who said it: user, model, tool or document',
        choices: ['user', 'model', 'tool', 'document'],
      },
      {
        flags: '--min-source <class>',
        summary: 'only this source class or a more trusted one',
        choices: ['user', 'model', 'tool', 'document'],
      },
      { flags: '--namespace <name>', summary: 'the group that may read it' },
      { flags: '--agent <id>', summary: 'the agent that stored it' },
      { flags: '--conversation <id>', summary: 'the conversation it is from' },
      { flags: '--when <words>', summary: 'when it was learned, such as "last week"' },
      { flags: '--after <time>', summary: 'learned at this date or time, or later' },
      { flags: '--before <time>', summary: 'learned before this time; a date counts whole' },
      { flags: '--as-of <time>', summary: 'search what was true at this time' },
      { flags: '--all', summary: 'include superseded memories' },
      {
        flags: '--mode <mode>',
        summary: 'hybrid (default), semantic or exact',
        choices: ['hybrid', 'semantic', 'exact'],
      },
      { flags: '--limit <n>', summary: 'how many, 1 to 100 (default: 10, of a list 20)' },
      { flags: '--page <n>', summary: 'the page of a list (default: 1)' },
      { flags: '--supersedes <hash>', summary: 'with add: the memory that it replaces' },
      { flags: '--by <hash>', summary: 'with supersede: a stored memory that replaces it' },
      { flags: '--reason <text>', summary: 'why it replaces the other' },
      { flags: '--undo', summary: 'with supersede: make the memory current again' },
      { flags: '--valid-from <time>', summary: 'with add: when it begins to be true' },
      { flags: '--invalid-at <time>', summary: 'with add: when it is no longer true' },
      { flags: '--dry-run', summary: 'with forget and import: only say what would be done' },
      { flags: '--purge', summary: 'with forget: delete for good' },
      JSON_OUT,
      DATA,
    ],
    examples: [
      'dowser memory add "The staging server is on port 8080" --tag ops',
      'dowser memory search which port is staging on --when "last month"',
      'dowser memory supersede 3f2a91c07b1d "The staging server is on port 9090"',
      'dowser memory audit',
    ],
  },
  {
    name: 'docs',
    right: 'write',
    args: ['<action>', '[words...]'],
    choices: ['add', 'scan', 'list', 'search', 'ask', 'show', 'export', 'note', 'remove'],
    summary: 'index folders of documents, search and read them',
    notes: [
      'add FOLDER, scan [COLLECTION...], list [COLLECTION], search QUERY, ask QUESTION, show DOCUMENT, export COLLECTION FOLDER, note COLLECTION[/FOLDER] TEXT, remove COLLECTION.',
      'A document is COLLECTION/PATH, or an id that a search gives. Markdown, text, HTML, CSV, DOCX, PDF and source code are read; pictures of text are not.',
      'A scan reads only files that changed. .gitignore files are obeyed, links are not followed.',
      'The type of --search is keyword, meaning or hypothetical: an answer as it may be written.',
    ],
    options: [
      { flags: '--name <name>', summary: 'with add: the name of the collection (default: that of the folder)' },
      {
        flags: '--include <pattern>',
        summary: 'only files that match, as in .gitignore; may be repeated',
        repeat: true,
      },
      { flags: '--exclude <pattern>', summary: 'no files that match; may be repeated', repeat: true },
      { flags: '--note <text>', summary: 'with add: what the collection is; comes with every hit' },
      {
        flags: '--strategy <how>',
        summary: 'how to cut chunks: headings (default), recursive or fixed',
        choices: ['headings', 'recursive', 'fixed'],
      },
      { flags: '--chunk-size <chars>', summary: 'the longest chunk (default: 1500)' },
      { flags: '--overlap <chars>', summary: 'what a chunk repeats of the one before it (default: 150)' },
      { flags: '--collection <name>', summary: 'with search and ask: only this one; may be repeated', repeat: true },
      {
        flags: '--search <type:text>',
        summary: 'with search: another wording, such as keyword:KX-4471; may be repeated',
        repeat: true,
      },
      { flags: '--intent <text>', summary: 'with search: what the answer is for' },
      { flags: '--expand', summary: 'with search: show the chunks around each hit and its section' },
      { flags: '--lines <a:b>', summary: 'with show: only these lines' },
      { flags: '--page <n>', summary: 'with show: only this page, or pages such as 3:5' },
      PRESET,
      { flags: '--limit <n>', summary: 'how many hits, 1 to 100 (default: 10)' },
      { flags: '--explain', summary: 'with search and --json: explain each score' },
      LEXICAL,
      JSON_OUT,
      DATA,
    ],
    examples: [
      'dowser docs add ./handbook --name handbook --note "The handbook of the company"',
      'dowser docs search how many days of leave --collection handbook',
      'dowser docs show handbook/leave.md --lines 10:40',
      'dowser docs scan',
    ],
  },
  {
    name: 'import',
    right: 'write',
    args: ['<file...>'],
    summary: 'add or update entities from JSON Lines files',
    notes: [
      'One entity a line: {"type": "mcp_server", "path": "/clock", "name": "Clock", "description": "..."}',
      'The file - is standard input.',
    ],
    options: [
      LEXICAL,
      { flags: '--strict', summary: 'exit with 1 if any line was rejected or any vector is missing' },
      JSON_OUT,
      DATA,
    ],
    examples: ['dowser import catalog.jsonl', 'dowser import *.jsonl --strict', 'cat catalog.jsonl | dowser import -'],
  },
  {
    name: 'export',
    right: 'read',
    args: [],
    summary: 'write every entity as JSON Lines, for `dowser import`',
    options: [
      TYPE,
      { flags: '--out <file>', summary: 'write to this file (default: standard output)' },
      { flags: '--json', summary: 'print the summary of --out as JSON' },
      DATA,
    ],
    examples: ['dowser export --out catalog.jsonl', 'dowser export --type skill | jq -r .name'],
  },
  {
    name: 'add',
    right: 'admin',
    args: ['[what...]'],
    summary: 'add MCP servers, agents, skills or registries',
    notes: [
      'What to add is the address of a server, an agent or a registry, a configuration of a client, a SKILL.md or a folder of them, or after -- the command that starts a server.',
    ],
    options: [
      {
        flags: '--kind <kind>',
        summary: 'mcp, config, a2a, skill, server, registry, ard or npm (default: detected)',
        choices: ['mcp', 'config', 'a2a', 'skill', 'server', 'registry', 'ard', 'npm'],
      },
      { flags: '--name <name>', summary: 'what to call a server, in place of its own name' },
      {
        flags: '--env <name>',
        summary: 'pass a variable on to the command, NAME or NAME=value; may be repeated',
        repeat: true,
      },
      { flags: '--header <header>', summary: "send a header, 'Name: value'; may be repeated", repeat: true },
      TIMEOUT,
      { flags: '--replace', summary: 'let addresses and lists replace entities of other sources' },
      { flags: '--dry-run', summary: 'show what would be added, and store nothing' },
      LEXICAL,
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
    right: 'admin',
    args: ['[what...]'],
    summary: 'read added sources again: all, or those of these paths',
    options: [
      TIMEOUT,
      { flags: '--trust', summary: 'also read sources that were not added with this data folder' },
      LEXICAL,
      { flags: '--strict', summary: 'exit with 1 if anything is dead or has drifted' },
      JSON_OUT,
      DATA,
    ],
    examples: ['dowser refresh', 'dowser refresh /memory-server --strict'],
  },
  {
    name: 'drift',
    right: 'read',
    args: ['[entity...]'],
    summary: 'show tools and texts that changed since they were accepted',
    options: [{ flags: '--accept', summary: 'accept the changes of these entities, or of all' }, JSON_OUT, DATA],
    examples: ['dowser drift', 'dowser drift mcp_server:/memory-server --accept'],
  },
  {
    name: 'get',
    right: 'read',
    args: ['<entity>', '[path]'],
    summary: 'show everything about one entity',
    notes: [ENTITY_NOTE, TYPE_NOTE],
    options: [JSON_OUT, DATA],
    examples: ['dowser get mcp_server:/fetch', 'dowser get skill pdf --json'],
  },
  {
    name: 'delete',
    right: 'write',
    aliases: ['remove'],
    args: ['<entity>', '[path]'],
    summary: 'delete one entity, without asking',
    notes: [ENTITY_NOTE, TYPE_NOTE],
    options: [JSON_OUT, DATA],
    examples: ['dowser delete mcp_server:/fetch'],
  },
  {
    name: 'explain',
    right: 'read',
    args: ['<query>', '<entity>'],
    summary: 'show why an entity (type:path or path) has its score for a query',
    options: [PRESET, JSON_OUT, DATA],
    examples: ['dowser explain "read a web page" mcp_server:/fetch'],
  },
  {
    name: 'graph',
    right: 'read',
    args: ['<action>', '<args...>'],
    choices: ['around', 'import'],
    summary: 'relations between entities: around an entity, or import edges',
    notes: [
      'around lists the relations of an entity (type:path, path or /server#tool), with why each exists.',
      'import reads files of JSON Lines: {"source", "target", "type", "weight"}. Edges that cannot be used are skipped and reported.',
    ],
    options: [JSON_OUT, DATA],
    examples: ['dowser graph around /github#create_issue', 'dowser graph import edges.jsonl'],
  },
  {
    name: 'registry',
    right: 'write',
    args: ['<action>', '<args...>'],
    choices: ['check', 'name'],
    summary: 'editors that allow only servers of a registry: check a configuration, or set an official name',
    notes: [
      'check reads the configuration file of a client and says which of its servers would be blocked. Editors compare the names exactly.',
      'name shows or sets the official name of a server, such as io.github.someone/some-server.',
    ],
    options: [
      { flags: '--url <address>', summary: 'with check: the registry at this address (default: the data folder)' },
      JSON_OUT,
      DATA,
    ],
    examples: [
      'dowser registry check .vscode/mcp.json',
      'dowser registry name /github io.github.github/github-mcp-server',
    ],
  },
  {
    name: 'examples',
    right: 'write',
    args: ['[action]'],
    choices: ['status', 'load', 'remove'],
    summary: 'the example catalog: status (default), load or remove',
    notes: ['load and remove change no entity that you added or changed.'],
    options: [{ ...LEXICAL, summary: 'with load: do not compute vectors now' }, JSON_OUT, DATA],
    examples: ['dowser examples load', 'dowser examples remove'],
  },
  {
    name: 'eval',
    right: 'admin',
    args: ['<dir...>'],
    summary: 'measure rankings on folders of labeled queries',
    notes: [
      'A folder has corpus.jsonl (entities, as for import), queries.jsonl ({"id", "text"}) and qrels.jsonl ({"query_id", "doc_id", "relevance"}, where doc_id is the path of an entity).',
      'The metrics are ndcg@10, mrr, recall@5, recall@10, hit@1 and zero_hit, each from 0 to 1.',
    ],
    options: [
      { ...PRESET, summary: 'a ranking to measure; may be repeated', repeat: true },
      { flags: '--split <name>', summary: 'only queries of this split' },
      { flags: '--queries <n>', summary: 'at most this many queries of each set, evenly spread' },
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
    right: 'none',
    args: ['[action]'],
    choices: ['status', 'pull', 'path'],
    summary: 'the local embedding model: status (default), pull or path',
    notes: ['status lists the models and marks the one in use, pull fetches that one, path prints its folder.'],
    options: [JSON_OUT, DATA],
    examples: ['dowser model', 'dowser model pull'],
  },
  {
    name: 'reindex',
    right: 'admin',
    args: ['[paths...]'],
    summary: 're-embed the given paths, everything, or what is missing',
    options: [
      { flags: '--all', summary: 'everything, without the cache' },
      { flags: '--missing', summary: 'only texts without a vector' },
      JSON_OUT,
      DATA,
    ],
    examples: ['dowser reindex --missing', 'dowser reindex /fetch skill:/skills/pdf', 'dowser reindex --all'],
  },
  {
    name: 'doctor',
    right: 'admin',
    args: [],
    summary: 'check that everything Dowser needs is in order',
    notes: [
      '--deep reads every page and every entity of the database, also while a server uses it.',
      '--repair keeps what can still be read of a damaged database. The files of before are kept in a folder beside it.',
    ],
    options: [
      { flags: '--deep', summary: 'also read and check the whole database' },
      { flags: '--repair', summary: 'repair a damaged database, then check' },
      JSON_OUT,
      DATA,
    ],
    examples: ['dowser doctor', 'dowser doctor --deep', 'dowser doctor --repair'],
  },
  {
    name: 'backup',
    right: 'admin',
    args: ['<file>'],
    summary: 'copy the database into one file and check the copy',
    notes: ['A server may be running: the copy has every write that was acknowledged before it began.'],
    options: [JSON_OUT, DATA],
    examples: ['dowser backup dowser-backup.sqlite'],
  },
  {
    name: 'restore',
    right: 'admin',
    args: ['<file>'],
    summary: 'replace the database by a backup',
    notes: ['Stop the server first. The files of before are kept in a folder beside the database.'],
    options: [JSON_OUT, DATA],
    examples: ['dowser restore dowser-backup.sqlite'],
  },
  {
    name: 'migrate',
    right: 'admin',
    args: [],
    summary: 'move a data folder into a database that several nodes share, or back',
    notes: [
      'One of --from and --to is a data folder, the other one a PostgreSQL database. Stop all servers first.',
      'A run that was interrupted goes on where it stopped. At the end, counts and 100 searches are compared.',
    ],
    options: [
      { flags: '--from <place>', summary: 'a data folder, or the address of a database' },
      { flags: '--to <place>', summary: 'the other one; it must be empty (default: the setting `store`)' },
      JSON_OUT,
    ],
    examples: [
      'dowser migrate --from ~/.local/share/dowser --to postgres://dowser@db.example/dowser',
      'dowser migrate --from postgres://dowser@db.example/dowser --to ./data',
    ],
  },
  {
    name: 'key',
    right: 'admin',
    args: ['<action>', '[name]'],
    choices: ['create', 'list', 'revoke'],
    summary: 'create, list and revoke API keys',
    notes: [
      '`key create` shows the key once: it is stored as a hash only. A running server knows new and revoked keys at once.',
      'Scopes: `read`, `write` (what the key owns or shares a group with), `admin` (everything). Each includes those before it.',
    ],
    options: [
      { flags: '--name <name>', summary: 'the name of a new key' },
      { flags: '--groups <names>', summary: 'the groups of a new key, with commas' },
      { flags: '--scopes <scopes>', summary: 'read, write or admin (default: read)' },
      { flags: '--expires <time>', summary: 'such as 12h, 90d or never (default: 90d)' },
      JSON_OUT,
      DATA,
    ],
    examples: [
      'dowser key create --name ci --groups payments --scopes read --expires 90d',
      'dowser key list',
      'dowser key revoke ci',
    ],
  },
  {
    name: 'audit',
    right: 'admin',
    args: [],
    summary: 'show who changed what, and who was refused',
    options: [
      { flags: '--who <name>', summary: 'only of this caller, such as key:ci' },
      { flags: '--action <name>', summary: 'only this operation, such as putEntity' },
      { flags: '--result <result>', summary: 'only with this result, such as done or FORBIDDEN' },
      { flags: '--since <time>', summary: 'only since then, such as 12h, 7d or 2026-01-31' },
      LIMIT,
      JSON_OUT,
      DATA,
    ],
    examples: [
      'dowser audit',
      'dowser audit --who key:ci --since 7d',
      'dowser audit --result INSUFFICIENT_SCOPE --json',
    ],
  },
  {
    name: 'groups',
    right: 'admin',
    args: ['<action>', '<file>'],
    choices: ['import'],
    summary: 'import who may see what from the MCP gateway registry',
    notes: [
      'The file is its scopes.yml, or the scope documents of its database as JSON. Entities become visible to the groups that may list them, and the setting for what the groups may do is printed.',
    ],
    options: [{ flags: '--dry-run', summary: 'only show what would change' }, JSON_OUT, DATA],
    examples: ['dowser groups import scopes.yml --dry-run', 'dowser groups import scopes.yml'],
  },
  {
    name: 'completion',
    right: 'none',
    args: ['<shell>'],
    choices: ['bash', 'zsh', 'fish'],
    summary: 'print a script that completes commands and options in a shell',
    options: [],
    examples: [
      'eval "$(dowser completion bash)"    # in ~/.bashrc',
      'eval "$(dowser completion zsh)"     # in ~/.zshrc',
      'dowser completion fish | source     # in ~/.config/fish/config.fish',
    ],
  },
] as const satisfies readonly CommandInfo[];

export type CommandName = (typeof COMMANDS)[number]['name'];

/** The command of a name or of one of its aliases. */
export function commandNamed(word: string | undefined): (CommandInfo & { readonly name: CommandName }) | undefined {
  return COMMANDS.find((info: CommandInfo) => info.name === word || info.aliases?.includes(word ?? ''));
}

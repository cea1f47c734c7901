import { type CommandInfo, DATA, JSON_OUT, LEXICAL, TIMEOUT } from '../command-info.ts';

/** For those who write servers, or choose what a client loads. */
export const OWNER_COMMANDS = [
  {
    name: 'lint',
    right: 'admin',
    args: ['[what...]'],
    summary: 'check the tools of MCP servers: how they are written, and whether a search finds them',
    notes: [
      'What to check is a configuration of a client, a manifest, a JSON Lines file, an address, or after -- the command that starts a server. Paths such as /github are registered servers. Without any, the whole registry is checked.',
      'Exits with 1 if a finding is an error, or a server is below --min-score.',
    ],
    options: [
      { flags: '--min-score <n>', summary: 'exit with 1 if a server has a lower score, 0 to 100' },
      {
        flags: '--among <what>',
        summary: 'other servers to search among, such as an export; may be repeated',
        repeat: true,
      },
      { flags: '--no-search', summary: 'only check how tools are written' },
      { ...LEXICAL, summary: 'search by keyword only, without the model' },
      {
        flags: '--env <name>',
        summary: 'pass a variable on to the command, NAME or NAME=value; may be repeated',
        repeat: true,
      },
      { flags: '--header <header>', summary: "send a header, 'Name: value'; may be repeated", repeat: true },
      TIMEOUT,
      { flags: '--sarif', summary: 'print SARIF, for code scanning' },
      JSON_OUT,
      DATA,
    ],
    examples: [
      'dowser lint -- npx -y @modelcontextprotocol/server-memory',
      'dowser lint .mcp.json --min-score 80',
      'dowser lint manifest.json --among catalog.jsonl --sarif > lint.sarif',
    ],
  },
  {
    name: 'cost',
    right: 'admin',
    args: ['[what...]'],
    summary: 'count the tokens that tools cost in each conversation, and what they cost through Dowser',
    notes: [
      'What to count is a configuration of a client, a manifest, a JSON Lines file, an address, or after -- the command that starts a server. Without any, the registry is counted.',
      'Tokens are upper estimates, made without a tokenizer.',
    ],
    options: [
      {
        flags: '--toolset <name>',
        summary: 'the toolset to compare with: call (default) or agent',
        choices: ['call', 'agent'],
      },
      { flags: '--tools', summary: 'list every tool, not only the most expensive' },
      {
        flags: '--env <name>',
        summary: 'pass a variable on to the command, NAME or NAME=value; may be repeated',
        repeat: true,
      },
      { flags: '--header <header>', summary: "send a header, 'Name: value'; may be repeated", repeat: true },
      TIMEOUT,
      JSON_OUT,
      DATA,
    ],
    examples: ['dowser cost ~/.cursor/mcp.json', 'dowser cost .mcp.json .vscode/mcp.json --json', 'dowser cost'],
  },
  {
    name: 'install',
    right: 'read',
    args: ['<entity>'],
    summary: 'put a registered MCP server into the configuration of a client',
    notes: [
      'Shows the difference first, and writes it only with --yes. Comments and the order of the file stay. Secrets are written as references to variables.',
      '--undo takes back what was installed, and nothing else.',
    ],
    options: [
      {
        flags: '--client <name>',
        summary: 'cursor, claude, vscode or codex',
        choices: ['cursor', 'claude', 'vscode', 'codex'],
      },
      { flags: '--project', summary: 'the file of the project in this folder (default: the file of the user)' },
      { flags: '--file <file>', summary: 'this file' },
      { flags: '--name <name>', summary: 'what to call the server there (default: its own name)' },
      { flags: '--yes', summary: 'write the difference' },
      { flags: '--dry-run', summary: 'only show the difference, also with --yes' },
      { flags: '--undo', summary: 'take back an installation' },
      JSON_OUT,
      DATA,
    ],
    examples: [
      'dowser install /github --client cursor',
      'dowser install /github --client vscode --project --yes',
      'dowser install /github --client cursor --undo --yes',
    ],
  },
  {
    name: 'profile',
    right: 'admin',
    args: ['<action>', '[name]'],
    choices: ['list', 'set', 'remove'],
    summary: 'save filters for agents: each has an MCP endpoint of its own',
    notes: [
      'set NAME saves a filter, which replaces the one of this name. Agents get it at /mcp/p/NAME, or with `dowser mcp --profile NAME`. A running server follows at once.',
      'A profile narrows what agents find. It is no right: for that, see `dowser key`.',
    ],
    options: [
      {
        flags: '--type <type>',
        summary: 'only this entity type, or several with commas; may be repeated',
        repeat: true,
      },
      { flags: '--tag <tag>', summary: 'only with this tag; may be repeated, all must match', repeat: true },
      { flags: '--server <path>', summary: 'only this server and its tools; may be repeated', repeat: true },
      {
        flags: '--toolset <name>',
        summary: 'agent (default), call or registry',
        choices: ['agent', 'call', 'registry'],
      },
      { flags: '--max-tokens <n>', summary: 'the limit of each answer' },
      { flags: '--dry-run', summary: 'only say what would be written' },
      JSON_OUT,
      DATA,
    ],
    examples: [
      'dowser profile set finance --tag finance --max-tokens 1500',
      'dowser profile set github --server /github --toolset call',
      'dowser profile list',
    ],
  },
  {
    name: 'skill',
    right: 'read',
    args: ['<action>', '[skill]'],
    choices: ['install', 'check'],
    summary: 'install registered skills into a folder of agents, and check them for drift',
    notes: [
      'install SKILL writes its files and their digests to skills-lock.json. It never overwrites a folder that it did not write or that was edited.',
      'check compares the folder and the registry with that file, and exits with 1 if anything differs.',
    ],
    options: [
      { flags: '--claude', summary: 'the folder .claude/skills (default: .agents/skills)' },
      { flags: '--dir <folder>', summary: 'this folder' },
      { flags: '--dry-run', summary: 'with install: only show what would change' },
      JSON_OUT,
      DATA,
    ],
    examples: ['dowser skill install /skills/pdf', 'dowser skill install pdf --claude', 'dowser skill check'],
  },
] as const satisfies readonly CommandInfo[];

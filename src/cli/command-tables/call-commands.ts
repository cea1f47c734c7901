import { CALL, type CommandInfo, DATA, JSON_OUT } from './command-info.ts';

/** To call the tools of registered servers, and to say which may be called. */
export const CALL_COMMANDS = [
  {
    name: 'call',
    right: 'call:read',
    args: ['<tool>', '[arguments...]'],
    choices: ['status', 'stop', 'allow', 'deny', 'classify', 'preflight'],
    summary: 'call a tool of a registered server, or say which may be called',
    notes: [
      'Name the tool by its path, and its arguments as name=value. The setting call must allow it: see `dowser serve --call`.',
      'status lists the servers that run for calls, stop ends them. preflight says which of the given tools may be called.',
      'allow, deny and classify take the path of a server and write calls.json in the data folder. A running server follows it at once. classify proposes a class for each tool without annotations, by its name; --accept takes it.',
      'It exits with 0 if the tool succeeded, 1 if it reported an error, 10 if a later try may succeed, 11 if the operator must act first, and 12 if the outcome is unknown.',
    ],
    options: [
      CALL,
      { flags: '--args <json>', summary: 'the arguments as JSON' },
      { flags: '--args-file <file>', summary: 'a file with the arguments as JSON; - is standard input' },
      { flags: '--definition <id>', summary: 'refuse if the tool has another definition' },
      { flags: '--session <name>', summary: 'calls with the same session share one instance of the server' },
      { flags: '--max-tokens <n>', summary: 'the limit of the answer (default: 100000)' },
      { flags: '--timeout <seconds>', summary: 'how long the tool may work' },
      { flags: '--read-only', summary: 'refuse a tool that does more than read' },
      { flags: '--dry-run', summary: 'say what the call would do, without calling' },
      { flags: '--ignore-tool-error', summary: 'exit with 0 if the tool reported an error' },
      { flags: '--tools <names>', summary: 'with allow and deny: only these tools' },
      {
        flags: '--class <class>',
        summary: 'with allow: the class of its tools: read, write or destructive',
        choices: ['read', 'write', 'destructive'],
      },
      { flags: '--cwd <dir>', summary: 'with allow: the folder in which its program runs' },
      { flags: '--share', summary: 'with allow: others may use it although it uses your credentials' },
      { flags: '--accept', summary: 'with classify: take the proposed classes' },
      JSON_OUT,
      DATA,
    ],
    examples: [
      'dowser call /github#get_issue number=3',
      'dowser call /fs#read_text_file --args \'{"path": "notes.txt"}\'',
      'dowser call /github#get_issue number=3 --dry-run',
      'dowser call status',
      'dowser call allow /github --share',
    ],
  },
] as const satisfies readonly CommandInfo[];

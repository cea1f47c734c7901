import { type CommandInfo, DATA, JSON_OUT, LEXICAL, PRESET, TAG } from './command-info.ts';

const MIN_CONFIDENCE = {
  flags: '--min-confidence <n>',
  summary: 'with search: minimum confidence, 0 to 1 (default: 0.01)',
} as const;

const SOURCE_CLASSES = ['user', 'model', 'tool', 'document'];

/** To store, find and read memories and documents. */
export const MEMORY_AND_DOCUMENT_COMMANDS = [
  {
    name: 'memory',
    right: 'read',
    args: ['<action>', '[words...]'],
    choices: ['add', 'search', 'list', 'show', 'supersede', 'merge', 'forget', 'audit', 'export', 'import'],
    summary: 'store, find, correct and forget memories',
    notes: [
      'add TEXT, search QUERY, list, show HASH, supersede HASH NEW-TEXT, merge HASH HASH... TEXT, forget HASH, audit [FILE], export FOLDER, import FILE.',
      'A hash may be shortened to its first 8 characters. The text - is standard input.',
      'export writes a folder of Markdown, and import reads it. import and audit also read the SQLite file of a memory service, the JSON file of the reference memory server, or a JSON list.',
    ],
    options: [
      TAG,
      { flags: '--match <how>', summary: 'any (default) or all of the tags', choices: ['any', 'all'] },
      { flags: '--type <word>', summary: 'the type of the memory, such as decision' },
      {
        flags: '--source <class>',
        summary: 'who said it: user, model, tool or document',
        choices: SOURCE_CLASSES,
      },
      {
        flags: '--min-source <class>',
        summary: 'only this source class or a more trusted one',
        choices: SOURCE_CLASSES,
      },
      {
        flags: '--min-certainty <share>',
        summary: 'with search and list: only those that are still this sure, 0 to 1',
      },
      { flags: '--namespace <name>', summary: 'the group that may read it' },
      { flags: '--agent <id>', summary: 'the agent that stored it' },
      { flags: '--conversation <id>', summary: 'the conversation it is from' },
      { flags: '--when <words>', summary: 'when it was learned, such as "last week"' },
      { flags: '--after <time>', summary: 'learned at this date or time, or later' },
      { flags: '--before <time>', summary: 'learned before this time; a date includes the whole day' },
      { flags: '--as-of <time>', summary: 'search what was true at this time' },
      { flags: '--all', summary: 'include superseded memories' },
      {
        flags: '--mode <mode>',
        summary: 'hybrid (default), semantic or exact',
        choices: ['hybrid', 'semantic', 'exact'],
      },
      { flags: '--limit <n>', summary: 'how many, 1 to 100 (default: 10, with list 20)' },
      MIN_CONFIDENCE,
      { flags: '--page <n>', summary: 'the page of a list (default: 1)' },
      { flags: '--supersedes <hash>', summary: 'with add: the memory that it replaces' },
      { flags: '--by <hash>', summary: 'with supersede: a stored memory that replaces it' },
      { flags: '--reason <text>', summary: 'why it replaces the other' },
      { flags: '--undo', summary: 'with supersede and merge: make the memories current again' },
      { flags: '--valid-from <time>', summary: 'with add: when it begins to be true' },
      { flags: '--invalid-at <time>', summary: 'with add: when it is no longer true' },
      { flags: '--dry-run', summary: 'with merge, forget, export and import: only say what would be done' },
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
    choices: ['add', 'scan', 'watch', 'list', 'search', 'ask', 'show', 'export', 'note', 'remove'],
    summary: 'index folders of documents, search and read them',
    notes: [
      'add FOLDER, scan [COLLECTION...], watch [COLLECTION...], list [COLLECTION], search QUERY, ask QUESTION, show DOCUMENT, export COLLECTION FOLDER, note COLLECTION[/FOLDER] TEXT, remove COLLECTION.',
      'A document is COLLECTION/PATH, or an id from a search. Markdown, text, HTML, CSV, DOCX, XLSX, PPTX, PDF and source code are read; scanned images are not.',
      'watch scans collections at once and after each change of their folders, until Ctrl-C.',
      'A scan reads only changed files. It respects .gitignore, and does not follow symbolic links.',
      'The type of --search is keyword, meaning, or hypothetical (the text of a likely answer).',
    ],
    options: [
      { flags: '--name <name>', summary: 'with add: the name of the collection (default: the name of the folder)' },
      {
        flags: '--include <pattern>',
        summary: 'only files that match, as in .gitignore; may be repeated',
        repeat: true,
      },
      { flags: '--exclude <pattern>', summary: 'no files that match; may be repeated', repeat: true },
      { flags: '--note <text>', summary: 'with add: what the collection is; shown with every hit' },
      {
        flags: '--strategy <how>',
        summary: 'how to cut chunks: headings (default), recursive or fixed',
        choices: ['headings', 'recursive', 'fixed'],
      },
      { flags: '--chunk-size <chars>', summary: 'the longest chunk (default: 1500)' },
      {
        flags: '--overlap <chars>',
        summary: 'how many characters a chunk repeats from the one before it (default: 150)',
      },
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
      { ...PRESET, summary: 'the ranking to use, such as keyword or vector (default: documents)' },
      { flags: '--limit <n>', summary: 'how many hits, 1 to 100 (default: 10)' },
      MIN_CONFIDENCE,
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
] as const satisfies readonly CommandInfo[];

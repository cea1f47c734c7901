/** A package that a text tells its reader to install. */
export interface InstalledPackage {
  /** npm, pypi, cargo, rubygems, packagist, go, docker or homebrew. */
  readonly ecosystem: string;
  readonly name: string;
}

interface Installer {
  readonly ecosystem: string;
  /** The words of the command, before its packages. */
  readonly command: RegExp;
  readonly name: RegExp;
  /** Flags whose next word is their value. */
  readonly values: RegExp;
  /** Only the first name: the rest goes to the program. */
  readonly runs?: true;
  /** The flag before the name, if it is not the first word. */
  readonly named?: RegExp;
}

const NPM = {
  ecosystem: 'npm',
  name: /^((?:@[\w.~-]+\/)?[\w.~-]+?)(?:@[\w.^~*-]+)?$/,
  values: /^(?:--prefix|--registry|--tag|-C|-w|--workspace|--filter)$/,
};
const PYPI = {
  ecosystem: 'pypi',
  name: /^([A-Za-z0-9][\w.-]*?)(?:\[[\w,\s.-]*\])?(?:(?:[=<>!~]=?|===|@).*)?$/,
  values:
    /^(?:-r|--requirement|-c|--constraint|-e|--editable|-i|--index-url|--extra-index-url|-f|--find-links|-t|--target|--python|-p|--group)$/,
};
const DOCKER = {
  ecosystem: 'docker',
  name: /^((?:[\w.-]+(?::\d+)?\/)*[\w.-]+)(?::[\w.-]+)?(?:@sha256:[0-9a-f]+)?$/,
  values:
    /^(?:-e|--env|--env-file|-v|--volume|-p|--publish|--name|--network|--net|-w|--workdir|--mount|-u|--user|--entrypoint|--platform|-l|--label)$/,
};
const FEW = /^(?:--version|-v|--features|-F|--git|--path|--source|-C)$/;

const INSTALLERS: readonly Installer[] = [
  { ...NPM, command: /^(?:npm|pnpm|bun) (?:i|install|add)\b/ },
  { ...NPM, command: /^yarn (?:global )?add\b/ },
  { ...NPM, command: /^(?:npx|bunx|pnpm dlx|npm exec)\b/, named: /^(?:-p|--package)$/, runs: true },
  { ...PYPI, command: /^(?:python[\d.]* -m |py -m |uv )?pip[\d.]* install\b/ },
  { ...PYPI, command: /^(?:uv add|uv tool install|pipx install|poetry add)\b/ },
  { ...PYPI, command: /^(?:uvx|pipx run)\b/, values: /^(?:--with|--python|-p)$/, named: /^--from$/, runs: true },
  { ecosystem: 'cargo', command: /^cargo (?:install|add)\b/, name: /^([A-Za-z][\w-]*)(?:@\S+)?$/, values: FEW },
  { ecosystem: 'rubygems', command: /^(?:gem install|bundle add)\b/, name: /^([A-Za-z][\w.-]*)$/, values: FEW },
  {
    ecosystem: 'packagist',
    command: /^composer (?:global )?require\b/,
    name: /^([a-z0-9][\w.-]*\/[a-z0-9][\w.-]*)(?::\S+)?$/i,
    values: FEW,
  },
  {
    ecosystem: 'go',
    command: /^go (?:get|install)\b/,
    name: /^([a-z0-9-]+\.[a-z]+(?:\/[\w.~-]+)+)(?:@\S+)?$/i,
    values: FEW,
  },
  { ...DOCKER, command: /^docker (?:image )?pull\b/ },
  { ...DOCKER, command: /^docker (?:container )?run\b/, runs: true },
  { ecosystem: 'homebrew', command: /^brew install\b/, name: /^([a-z0-9][\w@.+/-]*)$/i, values: FEW },
];

const MAX_LINES = 5000;
const MAX_LINE_CHARS = 1000;
const MAX_FOUND = 50;

/** The packages of the install lines of a text, such as a README, in its order. Flags, files and addresses are none. */
export function installsIn(text: string): readonly InstalledPackage[] {
  const found = new Map<string, InstalledPackage>();
  for (const line of text.split('\n', MAX_LINES)) {
    if (line.length > MAX_LINE_CHARS) continue;
    for (const command of commandsIn(line)) {
      for (const one of packagesOf(command)) {
        if (found.size < MAX_FOUND) found.set(`${one.ecosystem} ${one.name}`, one);
      }
    }
  }
  return [...found.values()];
}

/** The commands of a line: what is in backticks, or the line without its prompt. */
function commandsIn(line: string): readonly string[] {
  const quoted = [...line.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
  const texts = quoted.length > 0 ? quoted : [line];
  return texts
    .flatMap((text) => beforeMatch(text, /\s#/).split(/&&|\|\||[;|]/))
    .map((text) =>
      text
        .trim()
        .replace(/^(?:[$>%]\s+)?(?:sudo\s+)?/, '')
        .replaceAll(/\s+/g, ' '),
    );
}

function beforeMatch(text: string, start: RegExp): string {
  const at = text.search(start);
  return at === -1 ? text : text.slice(0, at);
}

function packagesOf(command: string): readonly InstalledPackage[] {
  const installer = INSTALLERS.find((one) => one.command.test(command));
  if (installer === undefined) return [];
  const { ecosystem, name, values, runs, named } = installer;
  const words = command.replace(installer.command, '').match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const names: string[] = [];
  for (let at = 0; at < words.length && !(runs === true && names.length > 0); at++) {
    const word = words[at]!.replaceAll(/^["']|["']$/g, '');
    if (word.startsWith('-')) {
      if (named?.test(word) !== true && values.test(word)) at += 1;
      continue;
    }
    // A file, a folder or an address.
    const isPlace = /^[./~]|:\/\/|^(?:git\+|file:)/.test(word) || /[<>{}$\\]/.test(beforeMatch(word, /[<>]=?[\d.]/));
    const [, clean] = isPlace ? [] : (name.exec(word) ?? []);
    if (clean !== undefined) names.push(ecosystem === 'pypi' ? pypiName(clean) : clean);
    else if (runs === true) break;
  }
  return names.map((one) => ({ ecosystem, name: one }));
}

/** PyPI takes `-`, `_` and `.` for the same, and ignores case. */
export const pypiName = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');

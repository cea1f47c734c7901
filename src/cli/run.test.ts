import { describe, expect, it } from 'vitest';
import { DowserError } from '../model/errors/errors.ts';
import { toSearchRequest } from './commands/search.ts';
import { reportFailure } from './context/failure.ts';
import { parseWanted } from './context/named-entity.ts';
import { parseArguments } from './run.ts';
import { toTerminal } from './terminal/terminal.ts';

function errorOf(argv: readonly string[]): DowserError {
  try {
    parseArguments(argv);
  } catch (thrown) {
    if (thrown instanceof DowserError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

describe('parseArguments', () => {
  it('reads words, repeated options and switches', () => {
    const argv = ['search', 'read', 'pages', '--type', 'tool', '--type', 'skill', '--limit', '5', '--explain'];
    expect(parseArguments(argv)).toEqual({
      name: 'search',
      args: ['read', 'pages'],
      options: { type: ['tool', 'skill'], limit: '5', explain: true },
    });
  });

  it.each([
    [['serach', 'x'], "Unknown command 'serach'.", 'Did you mean search?'],
    [['--verison'], "Unknown option '--verison'.", 'Did you mean --version?'],
    [['search', 'x', '--limt', '5'], "Unknown option '--limt'.", 'Did you mean --limit?'],
    [['help', 'serach'], "Unknown command 'serach'.", 'Did you mean search?'],
    [['get'], "'entity' is missing: dowser get <entity> [path].", 'dowser get --help'],
    [['remove'], "'entity' is missing: dowser delete <entity> [path].", 'dowser delete --help'],
    [['search', 'x', '--limit'], '--limit needs a value: --limit <n>.', 'dowser search --help'],
    [['import'], "'file' is missing: dowser import <file...>.", 'dowser import --help'],
    [['get', 'skill', 'a', 'b'], 'Too many arguments: dowser get <entity> [path].', 'dowser get --help'],
    [['search', 'x', '--limt=5', '--limit', '5'], "Unknown option '--limt=5'.", 'Did you mean --limit?'],
    [['doctor', 'x'], 'Too many arguments', 'dowser doctor --help'],
    [['add', 'npx', '-y', 'some-server'], "Unknown option '-y'.", '`dowser add -- npx ...`'],
    [['add', 'mcp', 'uvx', '--refresh', 'x'], "Unknown option '--refresh'.", '`dowser add -- uvx ...`'],
    [['--data', 'd', 'search', 'x'], "Unknown option '--data'.", '`dowser search --data <dir>`'],
    [['--data=d', 'search', 'x'], "Unknown option '--data=d'.", '`dowser search --data <dir>`'],
    [['--json', 'doctor'], "Unknown option '--json'.", '`dowser doctor --json`'],
    [['--frobnicate'], "Unknown option '--frobnicate'.", 'dowser --help'],
  ])('refuses %j with a sentence and where to read on', (argv, message, hint) => {
    const error = errorOf(argv);
    expect(error.code).toBe('INVALID_REQUEST');
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });
});

describe('a hint for a near miss', () => {
  it('is there for programs too', () => {
    expect(errorOf(['search', 'x', '--limt', '5']).details).toEqual({ did_you_mean: '--limit' });
    expect(errorOf(['search', 'x', '--frobnicate']).details).toBeUndefined();
  });

  it.each([
    [['add', './skills', '--frobnicate']],
    [['add', 'mcp.json', '--frobnicate']],
    [['add', '--frobnicate']],
    [['--frobnicate', 'search']],
    [['search', 'npx', '-y']],
  ])('is not given for %j', (argv) => {
    expect(errorOf(argv).hint).toMatch(/^Run `dowser .*--help` to see (its options|the commands)\.$/);
  });
});

describe('toSearchRequest', () => {
  it('sends only what was asked for', () => {
    expect(toSearchRequest({ args: ['a', 'b'], options: {} })).toEqual({ query: 'a b' });
    const options = { type: ['tool'], tag: ['x'], limit: '0', preset: 'lexical', explain: true, includeDraft: true };
    expect(toSearchRequest({ args: ['a'], options: options })).toEqual({
      query: 'a',
      entity_types: ['tool'],
      tags: ['x'],
      max_results: 0,
      preset: 'lexical',
      explain: true,
      include_draft: true,
    });
  });

  it('reads numbers and lists, and needs no words', () => {
    const options = { tag: ['x'], offset: '20', minConfidence: '0.5', facets: 'tags, status,' };
    expect(toSearchRequest({ args: [], options: options })).toEqual({
      query: '',
      tags: ['x'],
      offset: 20,
      min_confidence: 0.5,
      facets: ['tags', 'status'],
    });
  });

  it('takes several types with commas, but no empty one', () => {
    const typesOf = (...type: readonly string[]) => toSearchRequest({ args: ['a'], options: { type } }).entity_types;
    expect(typesOf('tool, skill', 'memory')).toEqual(['tool', 'skill', 'memory']);
    for (const wrong of ['', 'tool,', 'tool,gadget'])
      expect(() => typesOf(wrong)).toThrow(expect.objectContaining({ code: 'UNKNOWN_TYPE' }));
  });

  it('lets the registry refuse a limit that is not a number', () => {
    expect(toSearchRequest({ args: ['a'], options: { limit: 'many' } })).toMatchObject({ max_results: 'many' });
    expect(toSearchRequest({ args: ['a'], options: { limit: '' } })).toMatchObject({ max_results: '' });
  });
});

describe('parseWanted', () => {
  it.each([
    ['mcp_server:/fetch', { type: 'mcp_server', path: '/fetch' }],
    ['/fetch', { type: null, path: '/fetch' }],
    ['npm:left-pad', { type: null, path: 'npm:left-pad' }],
    ['package:npm:left-pad', { type: 'package', path: 'npm:left-pad' }],
    ['tool:/fetch#fetch_page', { type: 'tool', path: '/fetch#fetch_page' }],
  ])('reads %s', (text, expected) => {
    expect(parseWanted(text)).toEqual(expected);
  });
});

describe('reportFailure', () => {
  function report(thrown: unknown, options: { json?: boolean; debug?: boolean } = {}) {
    let text = '';
    const terminal = toTerminal({ write: (part) => (text += part) }, {});
    const exit = reportFailure(thrown, terminal, { json: false, debug: false, readMore: 'Read the help.', ...options });
    return { text, exit };
  }
  const full = new DowserError('STORE_FULL', 'The disk is full.', { hint: 'Make room.', cause: new Error('ENOSPC') });

  it('writes a code, a sentence and a hint, and no trace', () => {
    expect(report(full)).toEqual({ text: 'error[STORE_FULL]: The disk is full.\nhint: Make room.\n', exit: 1 });
  });

  it('points to the help where an argument is wrong and the error has no hint of its own', () => {
    expect(report(new DowserError('INVALID_REQUEST', 'No.')).text).toBe(
      'error[INVALID_REQUEST]: No.\nhint: Read the help.\n',
    );
    expect(report(new DowserError('NOT_FOUND', 'No.')).text).toBe('error[NOT_FOUND]: No.\n');
  });

  it('writes the error body of the API for programs', () => {
    const { text } = report(full, { json: true });
    expect(JSON.parse(text)).toEqual({
      error: { code: 'STORE_FULL', message: 'The disk is full.', hint: 'Make room.' },
    });
  });

  it('says how to see more of a defect, and shows it then with its cause', () => {
    const defect = new TypeError('x is not a function', { cause: new Error('the root of it') });
    const { text, exit } = report(defect);
    expect(text).toMatch(/^error\[INTERNAL\]: .*\nhint: .*DOWSER_DEBUG=1.*\n$/);
    expect(exit).toBe(70);
    expect(report(defect, { debug: true }).text).toMatch(
      /x is not a function\n +at .*caused by Error: the root of it/s,
    );
  });
});

import { styleText } from 'node:util';
import { visibleText } from './visible-text.ts';

/** An output stream, and what it can show. */
export interface Terminal {
  write(text: string): void;
  readonly isTTY: boolean;
  /** How many characters fit on a line. */
  readonly columns: number;
  readonly style: Style;
  /** Erases the line, such as a progress bar. Empty if the terminal cannot. */
  readonly eraseLine: string;
}

const STYLES = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const;
type StyleName = (typeof STYLES)[number];
export type Style = Readonly<Record<StyleName, (text: string) => string>>;

/** The width of a file or a pipe, which have none. */
const DEFAULT_COLUMNS = 100;

/** Back to the first column, then Erase In Line, all of it (ECMA-48, 8.3.41). */
const ERASE_LINE = '\r\u001b[2K';

function toStyle(colored: boolean): Style {
  const paint = (name: StyleName) => (text: string) =>
    colored ? styleText(name, text, { validateStream: false }) : text;
  return Object.fromEntries(STYLES.map((name) => [name, paint(name)])) as unknown as Style;
}

interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Uses color on a capable terminal only, and never with NO_COLOR (no-color.org). */
export function toTerminal(stream: Stream, env: NodeJS.ProcessEnv): Terminal {
  const isTTY = stream.isTTY === true;
  const isCapable = isTTY && env.TERM !== 'dumb';
  const colored = isCapable && (env.NO_COLOR ?? '') === '';
  return {
    write: (text) => void stream.write(visibleText(text)),
    isTTY,
    get columns() {
      // A terminal of unknown size reports 0.
      const known = [stream.columns, Number(env.COLUMNS)].find((width) => width !== undefined && width > 0);
      return known ?? DEFAULT_COLUMNS;
    },
    style: toStyle(colored),
    eraseLine: isCapable ? ERASE_LINE : '',
  };
}

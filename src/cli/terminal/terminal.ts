/** Where text goes, and what may be done with it there. */
export interface Terminal {
  write(text: string): void;
  readonly isTTY: boolean;
  /** How many characters fit on a line. */
  readonly columns: number;
  readonly style: Style;
  /** Takes away what stands on the line, such as a progress bar; empty where the terminal cannot. */
  readonly eraseLine: string;
}

type Paint = (text: string) => string;
export type Style = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', Paint>>;

/** Wide enough to be useful in a file or a pipe, where nothing tells the width. */
const DEFAULT_COLUMNS = 100;

/** Select Graphic Rendition: the code that switches a style on, and the one that switches it off (ECMA-48, 8.3.117). */
const SGR = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const;

/** Back to the first column, then Erase In Line, all of it (ECMA-48, 8.3.41). */
const ERASE_LINE = '\r\u001b[2K';

function toStyle(colored: boolean): Style {
  const paint = ([on, off]: readonly [number, number]): Paint =>
    colored ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text;
  return {
    bold: paint(SGR.bold),
    dim: paint(SGR.dim),
    red: paint(SGR.red),
    green: paint(SGR.green),
    yellow: paint(SGR.yellow),
    cyan: paint(SGR.cyan),
  };
}

interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Color only on a terminal that has it, and never against NO_COLOR (no-color.org). */
export function toTerminal(stream: Stream, env: NodeJS.ProcessEnv): Terminal {
  const isTTY = stream.isTTY === true;
  const isCapable = isTTY && env.TERM !== 'dumb';
  const colored = isCapable && (env.NO_COLOR ?? '') === '';
  return {
    write: (text) => void stream.write(text),
    isTTY,
    get columns() {
      // A terminal that does not know its size says 0.
      const known = [stream.columns, Number(env.COLUMNS)].find((width) => width !== undefined && width > 0);
      return known ?? DEFAULT_COLUMNS;
    },
    style: toStyle(colored),
    eraseLine: isCapable ? ERASE_LINE : '',
  };
}

/** A file that waits or is read. */
export interface FileTurn {
  /** In the order of arrival. */
  readonly id: number;
  readonly caller: string;
  /** It has been read for longer than a turn. */
  isSlow: boolean;
  /** When its reading began, as a count of beginnings. 0: it waits. */
  began: number;
}

/**
 * Whose file is read next, and which one makes room. With `places` files at a time:
 *
 * - a caller holds all places but one, so that another is served at once;
 * - slow files hold all places but one, and of one caller all of its places but one. If a file waits that has not had a turn,
 *   the slow file that began last is stopped, and read again when a place for slow files is free.
 *
 * So a small file waits for a turn of the files before it, and not until they have been read.
 */
export class ReadTurns<T extends FileTurn> {
  readonly #ofCaller: number;
  readonly #slow: number;
  readonly #slowOfCaller: number;
  readonly #places: number;
  readonly #waiting: T[] = [];
  readonly #reading = new Set<T>();
  readonly #lastBegan = new Map<string, number>();
  #began = 0;

  constructor(places: number) {
    this.#places = places;
    this.#ofCaller = Math.max(1, places - 1);
    this.#slow = Math.max(1, places - 1);
    this.#slowOfCaller = Math.max(1, places - 2);
  }

  get isIdle(): boolean {
    return this.#reading.size === 0 && this.#waiting.length === 0;
  }

  add(file: T): void {
    this.#waiting.push(file);
  }

  /** The file that begins now, of the caller with the fewest files in reading. Undefined if none may. */
  begin(): T | undefined {
    if (this.#reading.size >= this.#places) return undefined;
    let best: T | undefined;
    for (const file of this.#waiting)
      if (this.#mayBegin(file) && (best === undefined || this.#before(file, best))) best = file;
    if (best === undefined) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(best), 1);
    best.began = ++this.#began;
    this.#lastBegan.set(best.caller, best.began);
    this.#reading.add(best);
    return best;
  }

  /** The slow file that must be stopped for one that has not had a turn. It waits again. Undefined if none must. */
  interrupt(): T | undefined {
    const blocked = this.#waiting.filter((file) => !file.isSlow);
    const all = [...this.#reading];
    const stopped = all
      .filter((file) => file.isSlow && blocked.some(({ caller }) => this.#isInTheWay(file, caller)))
      .reduce<T | undefined>((last, file) => (last === undefined || file.began > last.began ? file : last), undefined);
    if (stopped === undefined) return undefined;
    this.#reading.delete(stopped);
    stopped.began = 0;
    this.#waiting.unshift(stopped);
    return stopped;
  }

  /** The file is over, or nobody wants it any more. */
  end(file: T): void {
    this.#reading.delete(file);
    const place = this.#waiting.indexOf(file);
    if (place >= 0) this.#waiting.splice(place, 1);
    if (this.isIdle) this.#lastBegan.clear();
  }

  #mayBegin({ caller, isSlow }: T): boolean {
    if (this.#count((file) => file.caller === caller) >= this.#ofCaller) return false;
    if (!isSlow) return true;
    const slow = this.#count((file) => file.isSlow);
    return slow < this.#slow && this.#slowOf(caller) < this.#slowOfCaller;
  }

  /** Whether the end of a slow file lets one of this caller begin. */
  #isInTheWay(slow: T, caller: string): boolean {
    if (this.#count((file) => file.caller === caller) >= this.#ofCaller) {
      return slow.caller === caller && this.#slowOf(caller) > this.#slowOfCaller;
    }
    return this.#reading.size >= this.#places && this.#count((file) => file.isSlow) > this.#slow;
  }

  #before(a: T, b: T): boolean {
    if (a.caller === b.caller) return a.id < b.id;
    const reading = this.#count((file) => file.caller === a.caller) - this.#count((file) => file.caller === b.caller);
    if (reading !== 0) return reading < 0;
    const began = (this.#lastBegan.get(a.caller) ?? 0) - (this.#lastBegan.get(b.caller) ?? 0);
    return began === 0 ? a.id < b.id : began < 0;
  }

  #slowOf(caller: string): number {
    return this.#count((file) => file.isSlow && file.caller === caller);
  }

  #count(is: (file: T) => boolean): number {
    let count = 0;
    for (const file of this.#reading) if (is(file)) count++;
    return count;
  }
}

/** Characters in a slice: about 5 milliseconds of planning, or of writing rows. */
const SLICE_CHARS = 50_000;
/** A step without text takes as long as this many characters. */
export const STEP_CHARS = 200;

/** Counts the work of a write, so that it yields after about the same work on every machine. */
export class WorkSlices {
  /** Whether there was more than one slice. */
  hasYielded = false;
  #chars = 0;

  /** Call it after each step. Returns whether others may have a turn now. */
  isOver(chars: number): boolean {
    this.#chars += STEP_CHARS + chars;
    if (this.#chars < SLICE_CHARS) return false;
    this.#chars = 0;
    this.hasYielded = true;
    return true;
  }
}

/**
 * Ending a process while one of its threads is inside the ONNX runtime aborts it (the runtime throws where nobody can
 * catch). So a thread says when it is inside, and a process that ends waits for it to come out: for one text at most.
 */
const INSIDE = 0;
const ENDING = 1;

export class NativeGuard {
  /** Shared with the thread, which makes a guard of its own from it. */
  readonly shared: Int32Array<SharedArrayBuffer>;

  constructor(shared: Int32Array<SharedArrayBuffer> = new Int32Array(new SharedArrayBuffer(8))) {
    this.shared = shared;
  }

  /** The thread's side: does native work. Never settles once the process is ending. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    // Inside first, then the look: one of the two sides always sees the other.
    Atomics.store(this.shared, INSIDE, 1);
    try {
      if (Atomics.load(this.shared, ENDING) === 0) return await work();
    } finally {
      Atomics.store(this.shared, INSIDE, 0);
      Atomics.notify(this.shared, INSIDE);
    }
    return new Promise<never>(() => undefined);
  }

  /** The process's side: lets no more native work begin and waits, blocking, until none is under way. */
  end(timeoutMs: number): void {
    Atomics.store(this.shared, ENDING, 1);
    Atomics.wait(this.shared, INSIDE, 1, timeoutMs);
  }
}

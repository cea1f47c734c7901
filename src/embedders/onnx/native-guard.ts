/**
 * A process that exits while a thread is inside the ONNX runtime crashes: the runtime throws where no code can catch it. So
 * a thread marks native work, and an exiting process waits for its end: one text at most.
 */
const INSIDE = 0;
const ENDING = 1;

export class NativeGuard {
  /** Pass it to the thread, which creates its own guard from it. */
  readonly shared: Int32Array<SharedArrayBuffer>;

  constructor(shared: Int32Array<SharedArrayBuffer> = new Int32Array(new SharedArrayBuffer(8))) {
    this.shared = shared;
  }

  /** For the thread: runs native work. Never settles once the process is exiting. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    // Store first, then load: so one of the two sides always sees the other.
    Atomics.store(this.shared, INSIDE, 1);
    try {
      if (Atomics.load(this.shared, ENDING) === 0) return await work();
    } finally {
      Atomics.store(this.shared, INSIDE, 0);
      Atomics.notify(this.shared, INSIDE);
    }
    return new Promise<never>(() => undefined);
  }

  /** For the process: prevents new native work and blocks until running work is done. */
  end(timeoutMs: number): void {
    Atomics.store(this.shared, ENDING, 1);
    Atomics.wait(this.shared, INSIDE, 1, timeoutMs);
  }
}

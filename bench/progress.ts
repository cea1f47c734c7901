/** Says on the terminal what is being done and for how long, on one line that is written over where that is possible. */
export class Progress {
  readonly #live = process.stderr.isTTY === true;
  #timer: NodeJS.Timeout | null = null;
  #task = '';
  #step = '';
  #started = 0;

  begin(task: string): void {
    this.#task = task;
    this.#step = '';
    this.#started = performance.now();
    if (this.#live) this.#timer = setInterval(() => this.#draw(), 250);
    else process.stderr.write(`${task} ...\n`);
  }

  step(text: string): void {
    this.#step = text;
    if (this.#live) this.#draw();
  }

  end(outcome: string): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    process.stderr.write(`${this.#live ? '\r\u001b[2K' : ''}${this.#task}: ${outcome} (${this.#seconds()} s)\n`);
  }

  #draw(): void {
    process.stderr.write(`\r\u001b[2K${this.#task}: ${this.#step} ${this.#seconds()} s`);
  }

  #seconds(): string {
    return ((performance.now() - this.#started) / 1000).toFixed(0);
  }
}

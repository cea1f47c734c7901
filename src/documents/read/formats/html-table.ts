/** The rows of a table while its elements are read. */
export class HtmlTable {
  readonly rows: string[][] = [];
  /** The rows at the top that have header cells only. */
  headerRows = 0;
  #isInCell = false;
  #hasOnlyHeaders = true;

  startRow(): void {
    this.#countHeader();
    this.rows.push([]);
    this.#hasOnlyHeaders = true;
  }

  startCell(isHeader: boolean): void {
    if (this.rows.length === 0) this.rows.push([]);
    this.#isInCell = true;
    if (!isHeader) this.#hasOnlyHeaders = false;
  }

  /** Words outside a cell are white space between tags. */
  endCell(words: string): void {
    if (this.#isInCell) this.rows.at(-1)!.push(words);
    this.#isInCell = false;
  }

  #countHeader(): void {
    const isNext = this.headerRows === this.rows.length - 1;
    if (isNext && this.#hasOnlyHeaders && this.rows.at(-1)!.length > 0) this.headerRows++;
  }
}

/** A queue of any length. `shift` of an array of many thousands moves all others, at the expense of the server under test. */
export class Backlog<T> {
  private entries: T[] = [];
  private first = 0;

  get length(): number {
    return this.entries.length - this.first;
  }

  push(entry: T): void {
    this.entries.push(entry);
  }

  shift(): T | undefined {
    const entry = this.entries[this.first++];
    if (this.first >= this.entries.length) {
      this.entries = [];
      this.first = 0;
    }
    return entry;
  }
}

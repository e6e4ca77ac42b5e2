import { type Field, STATIC_TABLE } from './static-table.js';

/** What a table of this connection may hold, by the count of RFC 7541 §4.1: the default, which we do not raise. */
export const MAX_TABLE_BYTES = 4096;

const ENTRY_OVERHEAD = 32;

/** What a field counts for, in a table and in a list. */
export function sizeOf({ name, value }: Field): number {
  return name.length + value.length + ENTRY_OVERHEAD;
}

/** The fields that a connection refers to by number: those that everybody knows, and those that were sent on it lately. */
export class FieldTable {
  /** The newest comes last. */
  private readonly recent: Field[] = [];
  private bytes = 0;
  private maxBytes = MAX_TABLE_BYTES;
  /** Changes whenever a number may mean something else than before. */
  generation = 0;

  /** @returns undefined: nothing has that number */
  at(index: number): Field | undefined {
    if (index <= STATIC_TABLE.length) return STATIC_TABLE[index - 1];
    return this.recent[this.recent.length - (index - STATIC_TABLE.length)];
  }

  /** One that is larger than the table empties it, which is no error. */
  add(field: Field): void {
    this.generation++;
    this.shrinkTo(this.maxBytes - sizeOf(field));
    if (sizeOf(field) > this.maxBytes) return;
    this.recent.push(field);
    this.bytes += sizeOf(field);
  }

  /** @param maxBytes no more than `MAX_TABLE_BYTES` */
  resize(maxBytes: number): void {
    this.generation++;
    this.maxBytes = maxBytes;
    this.shrinkTo(maxBytes);
  }

  private shrinkTo(bytes: number): void {
    let gone = 0;
    while (this.bytes > bytes && gone < this.recent.length)
      this.bytes -= sizeOf(this.recent[gone++] as Field);
    if (gone > 0) this.recent.splice(0, gone);
  }
}

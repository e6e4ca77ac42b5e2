import { CODE, ConnectionError } from '../protocol.js';
import { FieldTable, MAX_TABLE_BYTES } from './field-table.js';
import { decodeHuffman } from './huffman.js';
import type { Field } from './static-table.js';

/** Integers of a block: more than any length or index here can be, and a bound to how long one is read. */
const MAX_INTEGER = 2 ** 24;

/** Decodes the header blocks of one connection, each in the order in which it came: RFC 7541. */
export class BlockDecoder {
  private readonly table = new FieldTable();
  private block: Buffer = Buffer.alloc(0);
  private at = 0;

  /** Whatever was decoded to something still is that, as long as this stays. */
  get generation(): number {
    return this.table.generation;
  }

  /**
   * Hands on each field of a block; octets are characters.
   * @throws ConnectionError `COMPRESSION_ERROR`: nothing on this connection can be understood any more
   */
  decode(block: Buffer, take: (field: Field) => void): void {
    this.block = block;
    this.at = 0;
    let hasFields = false;
    while (this.at < block.length) {
      const first = block[this.at] as number;
      if (first >= 0x80) {
        take(this.fieldAt(this.integer(7)));
        hasFields = true;
      } else if (first >= 0x40) {
        const field = this.literal(6);
        this.table.add(field);
        take(field);
        hasFields = true;
      } else if (first >= 0x20) {
        if (hasFields) throw broken('the size of the table changes at the start of a block');
        this.resize(this.integer(5));
      } else {
        take(this.literal(4));
        hasFields = true;
      }
    }
  }

  private resize(maxBytes: number): void {
    if (maxBytes > MAX_TABLE_BYTES) throw broken(`a table has ${MAX_TABLE_BYTES} bytes at most`);
    this.table.resize(maxBytes);
  }

  private literal(prefixBits: number): Field {
    const index = this.integer(prefixBits);
    const name = index === 0 ? this.text() : this.fieldAt(index).name;
    return { name, value: this.text() };
  }

  private fieldAt(index: number): Field {
    const field = this.table.at(index);
    if (field === undefined) throw broken(`no field has the number ${index}`);
    return field;
  }

  private text(): string {
    const isHuffman = this.byte() >= 0x80;
    this.at--;
    const length = this.integer(7);
    const from = this.at;
    const end = from + length;
    if (end > this.block.length) throw broken('a text is cut off');
    this.at = end;
    if (!isHuffman) return this.block.toString('latin1', from, end);
    const text = decodeHuffman(this.block.subarray(from, end));
    if (text === undefined) throw broken('a text is not coded as it has to be');
    return text;
  }

  /** RFC 7541 §5.1. */
  private integer(prefixBits: number): number {
    const full = 2 ** prefixBits - 1;
    let value = this.byte() & full;
    if (value < full) return value;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (value > MAX_INTEGER || scale > MAX_INTEGER) throw broken('a number is too large');
      if (byte < 0x80) return value;
    }
  }

  private byte(): number {
    const byte = this.block[this.at++];
    if (byte === undefined) throw broken('a header block is cut off');
    return byte;
  }
}

function broken(message: string): ConnectionError {
  return new ConnectionError(CODE.COMPRESSION_ERROR, message);
}

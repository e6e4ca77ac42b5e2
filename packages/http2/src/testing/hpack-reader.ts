import { type Field, fromHuffman } from './hpack-encoder.js';

/** RFC 7541, appendix A. */
const STATIC_TABLE: readonly Field[] = [
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  ...['200', '204', '206', '304', '400', '404', '500'].map((status): Field => [':status', status]),
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ...`accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control
    content-disposition content-encoding content-language content-length content-location content-range content-type
    cookie date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since
    last-modified link location max-forwards proxy-authenticate proxy-authorization range referer refresh retry-after
    server set-cookie strict-transport-security transfer-encoding user-agent vary via www-authenticate`
    .split(/\s+/)
    .map((name): Field => [name, '']),
];

/** A client's reader of header blocks, as strict as the strictest one: RFC 7541. */
export class HpackReader {
  private table: Field[] = [];
  private size = 4096;
  private allowed = 4096;
  private mustSayLess = false;

  /** The server has acknowledged that the table may be so large: one that became smaller has to say so first. */
  allow(bytes: number): void {
    this.mustSayLess ||= bytes < this.size;
    this.allowed = bytes;
  }

  /** @throws Error for what is no header block */
  read(block: Buffer): Field[] {
    const fields: Field[] = [];
    const bytes = new Bytes(block);
    while (!bytes.isDone) {
      const first = bytes.peek();
      if (first >= 0x20 && first < 0x40) {
        if (fields.length > 0) throw new Error('the table changes its size in the middle');
        this.resize(bytes.integer(5));
        continue;
      }
      if (this.mustSayLess) throw new Error('the table was to become smaller, and nothing says so');
      if (first >= 0x80) fields.push(this.at(bytes.integer(7)));
      else fields.push(this.literal(bytes, first));
    }
    return fields;
  }

  private literal(bytes: Bytes, first: number): Field {
    const index = bytes.integer(first >= 0x40 ? 6 : 4);
    const field: Field = [index === 0 ? bytes.text() : this.at(index)[0], bytes.text()];
    if (first >= 0x40) {
      this.table.unshift(field);
      this.evict();
    }
    return field;
  }

  private at(index: number): Field {
    const field =
      index <= STATIC_TABLE.length ? STATIC_TABLE[index - 1] : this.table[index - 1 - STATIC_TABLE.length];
    if (field === undefined) throw new Error(`there is no field ${index}`);
    return field;
  }

  private resize(size: number): void {
    if (size > this.allowed) throw new Error('the table becomes larger than it may');
    this.size = size;
    this.mustSayLess = false;
    this.evict();
  }

  private evict(): void {
    const used = () => this.table.reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0);
    while (used() > this.size) this.table.pop();
  }
}

class Bytes {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get isDone(): boolean {
    return this.at >= this.bytes.length;
  }

  peek(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new Error('a header block is cut off');
    return byte;
  }

  integer(bits: number): number {
    const max = 2 ** bits - 1;
    let value = this.byte() & max;
    if (value < max) return value;
    for (let scale = 1; ; scale *= 128) {
      const more = this.byte();
      value += (more & 127) * scale;
      if (more < 128) return value;
    }
  }

  text(): string {
    const isHuffman = this.peek() >= 0x80;
    const length = this.integer(7);
    const bytes = this.bytes.subarray(this.at, this.at + length);
    if (bytes.length < length) throw new Error('a string is cut off');
    this.at += length;
    return isHuffman ? fromHuffman(bytes) : bytes.toString('latin1');
  }

  private byte(): number {
    const byte = this.peek();
    this.at++;
    return byte;
  }
}

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

  /** The server acknowledged this table size; a smaller table must be announced in the next block. */
  allow(bytes: number): void {
    this.mustSayLess ||= bytes < this.size;
    this.allowed = bytes;
  }

  /** @throws Error for an invalid header block */
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
      if (this.mustSayLess) throw new Error('missing table size update');
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
    if (field === undefined) throw new Error(`no field at index ${index}`);
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

/** Bits of each byte's Huffman code, then of the end of a string. The codes are canonical: RFC 7541, appendix B. */
const CODE_LENGTHS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7,
  8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19,
  13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13,
  28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21,
  22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23,
  22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25,
  25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
];
const END_OF_STRING = 256;

const CODES = canonicalCodes();
const SYMBOLS = new Map(CODES.map((code, symbol) => [code, symbol]));

/** A field: name, value. */
export type Field = readonly [name: string, value: string];

/** Encodes an integer with a prefix of `bits` bits behind `first`: RFC 7541 §5.1. */
export function integer(first: number, bits: number, value: number): Buffer {
  const max = 2 ** bits - 1;
  if (value < max) return Buffer.from([first | value]);
  const bytes = [first | max];
  let left = value - max;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return Buffer.from([...bytes, left]);
}

/** A string as it is. */
export function plain(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([integer(0, 7, bytes.length), bytes]);
}

/** A string in Huffman codes, filled up with ones. */
export function huffman(text: string | Buffer): Buffer {
  return packedBits([...Buffer.from(text)].map((byte) => CODES[byte]).join(''));
}

/** Encodes a string that contains the EOS symbol, which is invalid. */
export function huffmanWithEnd(text: string): Buffer {
  return packedBits(`${[...Buffer.from(text)].map((byte) => CODES[byte]).join('')}${CODES[END_OF_STRING]}`);
}

/** A string of these bits, filled up with `fill`, then with whole bytes of it. */
export function packedBits(bits: string, fill = '1', moreBytes = 0): Buffer {
  const whole = bits.padEnd(Math.ceil(bits.length / 8) * 8 + moreBytes * 8, fill);
  const bytes = Buffer.from(whole.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  return Buffer.concat([integer(0x80, 7, bytes.length), bytes]);
}

/** Representations of a field: added to the table, not added, or never indexed. */
export const KEEP = { kept: [0x40, 6], once: [0, 4], never: [0x10, 4] } as const;

/** A field in full; `name` may be an index. */
export function literal(
  name: string | number,
  value: string | Buffer,
  how: keyof typeof KEEP = 'once',
  text: (value: string | Buffer) => Buffer = plain,
): Buffer {
  const [first, bits] = KEEP[how];
  return typeof name === 'number'
    ? Buffer.concat([integer(first, bits, name), text(value)])
    : Buffer.concat([Buffer.from([first]), text(name), text(value)]);
}

/** Encodes a field by table index. */
export function indexed(index: number): Buffer {
  return integer(0x80, 7, index);
}

/** Encodes a table size update. */
export function tableSize(bytes: number): Buffer {
  return integer(0x20, 5, bytes);
}

/** Encodes fields literally, without adding them to the table. */
export function block(fields: readonly Field[]): Buffer {
  return Buffer.concat(fields.map(([name, value]) => literal(name, value)));
}

/** @throws Error for invalid Huffman coding */
export function fromHuffman(bytes: Buffer): string {
  let [text, bits] = ['', ''];
  for (const byte of bytes) {
    for (const bit of byte.toString(2).padStart(8, '0')) {
      bits += bit;
      const symbol = SYMBOLS.get(bits);
      if (symbol === undefined) continue;
      if (symbol === END_OF_STRING) throw new Error('EOS symbol within the string');
      text += String.fromCharCode(symbol);
      bits = '';
    }
  }
  if (bits.length > 7 || bits.includes('0')) throw new Error('a string is filled up wrongly');
  return text;
}

function canonicalCodes(): string[] {
  const codes: string[] = [];
  let [next, length] = [0, 0];
  const inOrder = CODE_LENGTHS.map((bits, symbol) => ({ bits, symbol })).sort(
    (a, b) => a.bits - b.bits || a.symbol - b.symbol,
  );
  for (const { bits, symbol } of inOrder) {
    next *= 2 ** (bits - length);
    length = bits;
    codes[symbol] = next.toString(2).padStart(bits, '0');
    next++;
  }
  return codes;
}

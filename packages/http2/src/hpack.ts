import { CODE, ConnectionError } from './frames.js';

/** Code lengths in bits for each byte, RFC 7541 appendix B; EOS is last. */
const CODE_BITS = [
  [13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28],
  [28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28],
  [6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6],
  [5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10],
  [13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7],
  [7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6],
  [15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5],
  [6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28],
  [20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23],
  [24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24],
  [22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23],
  [21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23],
  [26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25],
  [19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27],
  [20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23],
  [26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26],
  [30],
].flat();

const END = 256;
const SHORTEST = 5;
const LONGEST = 30;
/** Padding is shorter than a byte and consists of ones, as in `END`'s code. */
const MAX_PADDING_BITS = 7;

/** Binary tree: two slots per node, for 0 and 1. Negative values are symbols, `-1 - symbol`. */
const TREE = treeOf(CODE_BITS);

function treeOf(lengths: readonly number[]): Int16Array {
  const tree = new Int16Array(2 * lengths.length);
  let [code, nodes] = [0, 1];
  for (let bits = 1; bits <= LONGEST; bits++, code *= 2) {
    for (const [symbol, length] of lengths.entries()) {
      if (length !== bits) continue;
      let node = 0;
      for (let bit = bits - 1; bit > 0; bit--) {
        const place = 2 * node + ((code >>> bit) & 1);
        tree[place] ||= nodes++;
        node = tree[place] as number;
      }
      tree[2 * node + (code & 1)] = -1 - symbol;
      code++;
    }
  }
  return tree;
}

/** @returns undefined: invalid code */
export function decodeHuffman(bytes: Uint8Array): string | undefined {
  const text = Buffer.allocUnsafe(Math.floor((bytes.length * 8) / SHORTEST));
  let length = 0;
  let node = 0;
  let bitsSince = 0;
  let areOnes = true;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const isOne = (byte >>> bit) & 1;
      const next = TREE[2 * node + isOne] as number;
      bitsSince++;
      areOnes &&= isOne === 1;
      if (next >= 0) {
        node = next;
        continue;
      }
      const symbol = -1 - next;
      if (symbol === END) return undefined;
      text[length++] = symbol;
      node = 0;
      bitsSince = 0;
      areOnes = true;
    }
  }
  return areOnes && bitsSince <= MAX_PADDING_BITS ? text.toString('latin1', 0, length) : undefined;
}

export interface Field {
  readonly name: string;
  readonly value: string;
}

/** Static table by index from 1, RFC 7541 appendix A. */
export const STATIC_TABLE: readonly Field[] = [
  ':authority',
  ':method GET',
  ':method POST',
  ':path /',
  ':path /index.html',
  ':scheme http',
  ':scheme https',
  ...['200', '204', '206', '304', '400', '404', '500'].map((status) => `:status ${status}`),
  'accept-charset',
  'accept-encoding gzip, deflate',
  ...['accept-language', 'accept-ranges', 'accept', 'access-control-allow-origin', 'age', 'allow'],
  ...['authorization', 'cache-control', 'content-disposition', 'content-encoding', 'content-language'],
  ...['content-length', 'content-location', 'content-range', 'content-type', 'cookie', 'date', 'etag'],
  ...['expect', 'expires', 'from', 'host', 'if-match', 'if-modified-since', 'if-none-match', 'if-range'],
  ...['if-unmodified-since', 'last-modified', 'link', 'location', 'max-forwards', 'proxy-authenticate'],
  ...['proxy-authorization', 'range', 'referer', 'refresh', 'retry-after', 'server', 'set-cookie'],
  ...['strict-transport-security', 'transfer-encoding', 'user-agent', 'vary', 'via', 'www-authenticate'],
].map((field) => {
  const [name = '', ...value] = field.split(' ');
  return { name, value: value.join(' ') };
});

/** Maximum size of a dynamic table, RFC 7541 §4.1. */
export const MAX_TABLE_BYTES = 4096;

const ENTRY_OVERHEAD = 32;

/** Size of a field, in a table and in a list. */
export function sizeOf({ name, value }: Field): number {
  return name.length + value.length + ENTRY_OVERHEAD;
}

/** Static and dynamic table of a connection, RFC 7541 §2.3. */
export class FieldTable {
  private readonly recent: Field[] = [];
  private bytes = 0;
  private maxBytes = MAX_TABLE_BYTES;
  generation = 0;

  at(index: number): Field | undefined {
    if (index <= STATIC_TABLE.length) return STATIC_TABLE[index - 1];
    return this.recent[this.recent.length - (index - STATIC_TABLE.length)];
  }

  /** A field larger than the table empties it, which is not an error. */
  add(field: Field): void {
    this.generation++;
    this.shrinkTo(this.maxBytes - sizeOf(field));
    if (sizeOf(field) > this.maxBytes) return;
    this.recent.push(field);
    this.bytes += sizeOf(field);
  }

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

const MAX_INTEGER = 2 ** 24;

/** Decodes the header blocks of one connection in order, RFC 7541. */
export class BlockDecoder {
  private readonly table = new FieldTable();
  private block: Buffer = Buffer.alloc(0);
  private at = 0;

  /** While this number is unchanged, the same bytes decode to the same fields. */
  get generation(): number {
    return this.table.generation;
  }

  /** Octets become characters. @throws ConnectionError `COMPRESSION_ERROR`, which is fatal for the connection */
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
    if (maxBytes > MAX_TABLE_BYTES) throw broken(`table exceeds ${MAX_TABLE_BYTES} bytes`);
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

const LITERAL_WITHOUT_INDEXING = 0;
const INDEXED = 0x80;

/** ASCII, names in lower case. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** Response fields with their encoding. Uses no dynamic table, so that it is encoded once for all connections. */
export class HeaderBlock {
  readonly encoded: Buffer;
  readonly headers: Readonly<Record<string, string>>;

  constructor(fields: Fields) {
    this.headers = Object.fromEntries(fields);
    this.encoded = Buffer.concat(fields.map(([name, value]) => encodeField(name, value)));
  }
}

function encodeField(name: string, value: string): Buffer {
  const whole = STATIC_TABLE.findIndex((field) => field.name === name && field.value === value) + 1;
  if (whole > 0) return encodedInteger(whole, 7, INDEXED);
  const named = STATIC_TABLE.findIndex((field) => field.name === name) + 1;
  const parts = [encodedInteger(named, 4, LITERAL_WITHOUT_INDEXING)];
  if (named === 0) parts.push(encodedText(name));
  parts.push(encodedText(value));
  return Buffer.concat(parts);
}

function encodedText(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([encodedInteger(bytes.length, 7, 0), bytes]);
}

/** RFC 7541 §5.1. `head` has the bits before the integer. */
function encodedInteger(value: number, prefixBits: number, head: number): Buffer {
  const full = 2 ** prefixBits - 1;
  if (value < full) return Buffer.from([head | value]);
  const bytes = [head | full];
  let rest = value - full;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

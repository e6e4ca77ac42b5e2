/** Bytes that are not a block or file of this version: damaged, truncated or of another format. */
export class InvalidTraffic extends Error {
  override readonly name = 'InvalidTraffic';
}

const FIRST_BYTES = 1024;

/** Writes varints and bytes into a buffer that grows. */
export class ByteWriter {
  /** Bytes written. */
  length = 0;
  private bytes: Uint8Array;

  /** @param size likely number of bytes */
  constructor(size = FIRST_BYTES) {
    this.bytes = new Uint8Array(size);
  }

  /** @param value 0 to 2^53 - 1 */
  varint(value: number): void {
    this.reserve(8);
    const { bytes } = this;
    if (value < 128) {
      bytes[this.length++] = value;
      return;
    }
    let rest = value;
    // Beyond 31 bits, shifts would lose digits.
    while (rest >= 0x8000_0000) {
      bytes[this.length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 128) {
      bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    bytes[this.length++] = rest;
  }

  /** Appends values, 0 to 2^53 - 1, each a varint. */
  varints(values: Uint32Array | Float64Array): void {
    // Room for all is reserved once; a further 8 bytes, so that `varint` reserves none.
    this.reserve(8 * values.length + 8);
    const { bytes } = this;
    let { length } = this;
    for (let row = 0; row < values.length; row++) {
      const value = values[row] as number;
      if (value < 128) bytes[length++] = value;
      else if (value < 16_384) {
        bytes[length++] = (value & 127) | 128;
        bytes[length++] = value >> 7;
      } else {
        this.length = length;
        this.varint(value);
        length = this.length;
      }
    }
    this.length = length;
  }

  /** Appends ascending values, each as the difference to the one before. */
  differences(values: Float64Array): void {
    let before = 0;
    for (let row = 0; row < values.length; row++) {
      const value = values[row] as number;
      this.varint(value - before);
      before = value;
    }
  }

  /** Appends a text as UTF-8. */
  text(text: string): void {
    this.reserve(text.length);
    const { bytes, length } = this;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) {
        this.append(Buffer.from(text));
        return;
      }
      bytes[length + i] = code;
    }
    this.length = length + text.length;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** A view of the buffer, valid until the next write. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  private reserve(by: number): void {
    if (this.length + by > this.bytes.length) this.grow(by);
  }

  private grow(by: number): void {
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.length + by));
    larger.set(this.bytes);
    this.bytes = larger;
  }
}

/** Reads what {@link ByteWriter} wrote. Methods throw {@link InvalidTraffic} instead of reading past the end. */
export class ByteReader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get left(): number {
    return this.bytes.length - this.at;
  }

  /** 0 to 2^53 - 1. */
  varint(): number {
    const { bytes } = this;
    const first = bytes[this.at];
    if (first !== undefined && first < 128) {
      this.at++;
      return first;
    }
    const second = bytes[this.at + 1];
    if (first !== undefined && second !== undefined && second < 128) {
      this.at += 2;
      return (first & 127) | (second << 7);
    }
    let value = 0;
    for (let factor = 1; factor < 2 ** 56; factor *= 128) {
      const byte = bytes[this.at++];
      if (byte === undefined) throw new InvalidTraffic('the block ends inside a number');
      value += (byte & 127) * factor;
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
    }
    throw new InvalidTraffic('a number exceeds 2^53');
  }

  /** An index of a list of `size` entries. */
  index(size: number, name: string): number {
    const value = this.varint();
    if (value >= size) throw new InvalidTraffic(`${name} ${value} of ${size} does not exist`);
    return value;
  }

  /** A count of things that take at least one byte each, so that a short block cannot claim a large one. */
  count(name: string): number {
    const value = this.varint();
    if (value > this.left) throw new InvalidTraffic(`${value} ${name} do not fit into ${this.left} bytes`);
    return value;
  }

  take(length: number): Uint8Array {
    if (length > this.left) throw new InvalidTraffic(`${length} bytes are missing`);
    const taken = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return taken;
  }

  /** Reads `count` values below `size`. */
  indexes(count: number, size: number, name: string): Uint32Array {
    const values = new Uint32Array(count);
    const { bytes } = this;
    for (let row = 0; row < count; row++) {
      const first = bytes[this.at] as number;
      if (first < 128 && first < size) {
        values[row] = first;
        this.at++;
      } else values[row] = this.index(size, name);
    }
    return values;
  }

  /** Reads `count` values, each as the difference to the one before. */
  differences(count: number): Float64Array {
    const values = new Float64Array(count);
    const { bytes } = this;
    let value = 0;
    for (let row = 0; row < count; row++) {
      const first = bytes[this.at] as number;
      if (first < 128) {
        value += first;
        this.at++;
      } else value += this.varint();
      values[row] = value;
    }
    return values;
  }

  end(name: string): void {
    if (this.left > 0) throw new InvalidTraffic(`${name} has ${this.left} bytes too many`);
  }
}

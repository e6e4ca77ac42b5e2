export class WireError extends Error {
  override readonly name = 'WireError';
}

/** Wire types: the last three bits of a tag. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, group: 3, endGroup: 4, fixed32: 5 } as const;

/** Maximum nesting of skipped groups, which are deprecated. */
const MAX_DEPTH = 16;

/** Reads the protobuf wire format. All methods throw {@link WireError} for truncated, overlong or mistyped input. */
export class ProtoReader {
  private end: number;

  constructor(
    private readonly bytes: Buffer,
    private at = 0,
    end = bytes.length,
  ) {
    this.end = end;
  }

  get isDone(): boolean {
    return this.at >= this.end;
  }

  /** Field number × 8 + wire type. */
  tag(): number {
    const tag = this.varint();
    if (tag < 8 || tag > 0xffff_ffff) throw new WireError('a field has the number 0, or too large a one');
    return tag;
  }

  /** An unsigned 64-bit integer; rounded above 2^53. */
  varint(): number {
    let value = 0;
    let factor = 1;
    for (let i = 0; i < 10; i++) {
      if (this.at >= this.end) throw new WireError('the message ends within a number');
      const byte = this.bytes[this.at++] as number;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    throw new WireError('a number is longer than ten bytes');
  }

  /** Lower 32 bits, as protobuf reads a uint32. */
  uint32(): number {
    let low = 0;
    for (let i = 0; i < 10; i++) {
      if (this.at >= this.end) throw new WireError('the message ends within a number');
      const byte = this.bytes[this.at++] as number;
      if (i < 5) low |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) return low >>> 0;
    }
    throw new WireError('a number is longer than ten bytes');
  }

  /**
   * Replaces invalid UTF-8 by U+FFFD instead of rejecting it: Envoy copies any bytes of a client's header, and passes the
   * request when the message is rejected.
   */
  string(): string {
    const length = this.length();
    const from = this.at;
    this.at += length;
    return this.bytes.toString('utf8', from, this.at);
  }

  enter(): number {
    const length = this.length();
    const outer = this.end;
    this.end = this.at + length;
    return outer;
  }

  leave(outer: number): void {
    this.end = outer;
  }

  skip(tag: number, depth = 0): void {
    switch (tag & 7) {
      case WIRE.varint:
        this.varint();
        return;
      case WIRE.fixed64:
        this.pass(8);
        return;
      case WIRE.bytes:
        this.pass(this.length());
        return;
      case WIRE.fixed32:
        this.pass(4);
        return;
      case WIRE.group:
        this.skipGroup(tag, depth + 1);
        return;
      default:
        throw new WireError('unknown wire type');
    }
  }

  private skipGroup(tag: number, depth: number): void {
    if (depth > MAX_DEPTH) throw new WireError('groups are nested too deeply');
    for (;;) {
      const next = this.tag();
      if (next === tag + 1) return;
      this.skip(next, depth);
    }
  }

  private length(): number {
    const length = this.varint();
    if (length > this.end - this.at) throw new WireError('a field is longer than its message');
    return length;
  }

  private pass(length: number): void {
    if (length > this.end - this.at) throw new WireError('a field is longer than its message');
    this.at += length;
  }
}

/** Writes the protobuf wire format. Messages are written synchronously, so one writer per process is enough. */
export class ProtoWriter {
  private bytes = Buffer.allocUnsafe(4096);
  private at = 0;

  /** @param reserved bytes before the message for the caller to fill */
  begin(reserved = 0): void {
    this.at = reserved;
  }

  finish(): Buffer {
    return Buffer.from(this.bytes.subarray(0, this.at));
  }

  /** Writes an integer field, 0 to 2^53 - 1. Omits 0, the proto3 default. */
  number(field: number, value: number): void {
    if (value !== 0) this.explicit(field, value);
  }

  /** Like `number`, but also writes 0, for fields with explicit presence. */
  explicit(field: number, value: number): void {
    this.ensure(20);
    this.varint(field * 8);
    this.varint(value);
  }

  double(field: number, value: number): void {
    this.ensure(18);
    this.varint(field * 8 + 1);
    this.at = this.bytes.writeDoubleLE(value, this.at);
  }

  bool(field: number, value: boolean): void {
    this.ensure(12);
    this.varint(field * 8);
    this.varint(value ? 1 : 0);
  }

  /** Omits an empty text, the proto3 default. */
  string(field: number, text: string): void {
    if (text !== '') this.text(field, text);
  }

  /** Also writes an empty text, for lists and oneofs. */
  text(field: number, text: string): void {
    // UTF-8 needs at most three bytes per UTF-16 unit.
    this.ensure(20 + text.length * 3);
    this.varint(field * 8 + 2);
    if (text.length < 40) {
      const length = this.bytes.write(text, this.at + 1);
      this.bytes[this.at] = length;
      this.at += 1 + length;
      return;
    }
    const length = Buffer.byteLength(text);
    this.varint(length);
    this.at += this.bytes.write(text, this.at);
  }

  raw(field: number, bytes: Uint8Array): void {
    this.ensure(20 + bytes.length);
    this.varint(field * 8 + 2);
    this.varint(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** Begins an embedded message. @returns value for `close` */
  open(field: number): number {
    this.ensure(20);
    this.varint(field * 8 + 2);
    this.at++;
    return this.at;
  }

  close(from: number): void {
    const length = this.at - from;
    if (length < 0x80) {
      this.bytes[from - 1] = length;
      return;
    }
    // One byte was reserved for the length: move the content to make room for more.
    const more = length < 0x4000 ? 1 : length < 0x20_0000 ? 2 : 3;
    this.ensure(more);
    this.bytes.copyWithin(from + more, from, this.at);
    this.at = from - 1;
    this.varint(length);
    this.at += length;
  }

  private varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.at++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.at++] = rest;
  }

  private ensure(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe((this.at + more) * 2);
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}

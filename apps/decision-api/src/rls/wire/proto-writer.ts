/** Writes protobuf's wire format; one for the process is enough, as a message is written without a pause. */
export class ProtoWriter {
  private bytes = Buffer.allocUnsafe(4096);
  private at = 0;

  /** Begins a message after `reserved` bytes, which are the caller's to fill. */
  begin(reserved = 0): void {
    this.at = reserved;
  }

  /** The message as bytes of its own. */
  finish(): Buffer {
    return Buffer.from(this.bytes.subarray(0, this.at));
  }

  /** A field of a whole number, 0 to 2^53 - 1. Nothing for 0, which is what readers take an absent one for. */
  number(field: number, value: number): void {
    if (value !== 0) this.explicit(field, value);
  }

  /** As `number`, and 0 is written too: of a field whose absence is something else. */
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

  /** Nothing for an empty text. */
  string(field: number, text: string): void {
    if (text !== '') this.text(field, text);
  }

  /** A text, also where it is empty: as a part of a list, or of a choice. */
  text(field: number, text: string): void {
    // A character is three bytes at most; the shorter ones are ASCII more often than not, but nothing relies on it.
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

  /** Begins an embedded message. @returns what `close` wants */
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
    // One byte was left for the length: what was written makes room for the rest.
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

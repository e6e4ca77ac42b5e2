/** Values that scripts store with cmsgpack. */
export type Packed = number | string | readonly Packed[];

/** Decodes integers, strings and arrays of MessagePack. @throws Error for any other bytes */
export function unpack(bytes: Buffer): Packed {
  const reader = { bytes, at: 0 };
  const value = next(reader);
  if (reader.at !== bytes.length) throw new Error('bytes follow the MessagePack value');
  return value;
}

interface Reader {
  readonly bytes: Buffer;
  at: number;
}

function next(reader: Reader): Packed {
  const head = take(reader, 1).readUInt8();
  if (head < 0x80) return head;
  if (head >= 0xe0) return head - 0x100;
  if (head >= 0xa0 && head < 0xc0) return textOf(reader, head - 0xa0);
  if (head >= 0x90 && head < 0xa0) return listOf(reader, head - 0x90);
  switch (head) {
    case 0xcc:
      return take(reader, 1).readUInt8();
    case 0xcd:
      return take(reader, 2).readUInt16BE();
    case 0xce:
      return take(reader, 4).readUInt32BE();
    case 0xcf:
      return Number(take(reader, 8).readBigUInt64BE());
    case 0xd0:
      return take(reader, 1).readInt8();
    case 0xd1:
      return take(reader, 2).readInt16BE();
    case 0xd2:
      return take(reader, 4).readInt32BE();
    case 0xd3:
      return Number(take(reader, 8).readBigInt64BE());
    case 0xd9:
      return textOf(reader, take(reader, 1).readUInt8());
    case 0xda:
      return textOf(reader, take(reader, 2).readUInt16BE());
    case 0xdc:
      return listOf(reader, take(reader, 2).readUInt16BE());
    case 0xdd:
      return listOf(reader, take(reader, 4).readUInt32BE());
    default:
      throw new Error(`not a supported MessagePack value: byte 0x${head.toString(16)}`);
  }
}

function textOf(reader: Reader, length: number): string {
  return take(reader, length).toString('utf8');
}

function listOf(reader: Reader, length: number): Packed[] {
  // Each element takes a byte or more.
  if (length > reader.bytes.length - reader.at) throw new Error('the MessagePack value is truncated');
  return Array.from({ length }, () => next(reader));
}

function take(reader: Reader, width: number): Buffer {
  const end = reader.at + width;
  if (end > reader.bytes.length) throw new Error('the MessagePack value is truncated');
  const bytes = reader.bytes.subarray(reader.at, end);
  reader.at = end;
  return bytes;
}

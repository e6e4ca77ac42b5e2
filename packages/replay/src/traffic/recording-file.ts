import type { TrafficBlock } from './block.js';
import { unpackBlock } from './block-codec.js';
import { ByteReader, ByteWriter, InvalidTraffic } from './bytes.js';

/** First bytes of a file of packed blocks; the digit is the version. */
const MAGIC = Buffer.from('TGTRAFFIC1\n');

/** A file of packed blocks: the magic bytes, then each block after its length. */
export function writeRecording(packed: readonly Uint8Array[]): Buffer {
  const writer = new ByteWriter();
  writer.append(MAGIC);
  for (const block of packed) {
    writer.varint(block.length);
    writer.append(block);
  }
  return Buffer.from(writer.written());
}

/** The blocks of a file in the order of their first decision. @throws InvalidTraffic for any other file */
export function readRecording(file: Uint8Array): TrafficBlock[] {
  const reader = new ByteReader(file);
  if (file.length < MAGIC.length || MAGIC.compare(reader.take(MAGIC.length)) !== 0) {
    throw new InvalidTraffic('this is not a recording; create one with tollgate traffic import');
  }
  const blocks: TrafficBlock[] = [];
  while (reader.left > 0) blocks.push(unpackBlock(reader.take(reader.varint())));
  return blocks.filter(({ rows }) => rows > 0).sort((a, b) => (a.atUs[0] as number) - (b.atUs[0] as number));
}

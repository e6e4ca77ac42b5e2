import { crc32, inflateSync } from 'node:zlib';

/** A GraphQL body has at most 64 KiB. */
export const MAX_LOGO_BYTES = 32 * 1024;
const MAX_SIDE = 512;

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Samples per pixel by color type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const KEPT = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];

/**
 * Returns a PNG without text, color profiles and unknown chunks.
 * @throws Error with a message for users if it is not a complete PNG of at most 512 × 512 pixels
 */
export function cleanLogo(png: Buffer): Buffer {
  if (png.length > MAX_LOGO_BYTES) throw new Error('The logo must have at most 32 KB.');
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('The logo must be a PNG.');
  const chunks = readChunks(png);
  const header = chunks[0];
  if (header?.type !== 'IHDR' || header.data.length !== 13 || chunks.at(-1)?.type !== 'IEND')
    throw new Error('The PNG is damaged.');
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  const [depth = 0, colorType = 0, , , interlaced = 0] = header.data.subarray(8);
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
    throw new Error(`The logo must have at most ${MAX_SIDE} × ${MAX_SIDE} pixels.`);
  const samples = SAMPLES[colorType];
  if (depth !== 8 || interlaced !== 0 || samples === undefined)
    throw new Error('Save the PNG with 8 bits per channel and without interlacing.');
  if (colorType === 3 && !chunks.some(({ type }) => type === 'PLTE')) throw new Error('The PNG is damaged.');
  const length = (1 + width * samples) * height;
  const packed = Buffer.concat(chunks.flatMap(({ type, data }) => (type === 'IDAT' ? [data] : [])));
  let pixels: Buffer;
  try {
    pixels = inflateSync(packed, { maxOutputLength: length });
  } catch {
    throw new Error('The PNG is damaged.');
  }
  if (pixels.length !== length) throw new Error('The PNG is damaged.');
  return Buffer.concat([
    SIGNATURE,
    ...chunks.filter(({ type }) => KEPT.includes(type)).map(({ whole }) => whole),
  ]);
}

interface Chunk {
  type: string;
  data: Buffer;
  whole: Buffer;
}

function readChunks(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = at + 12 <= png.length ? png.readUInt32BE(at) : png.length;
    const end = at + 12 + length;
    if (end > png.length) throw new Error('The PNG is damaged.');
    const named = png.subarray(at + 4, end - 4);
    if (crc32(named) !== png.readUInt32BE(end - 4)) throw new Error('The PNG is damaged.');
    chunks.push({
      type: named.toString('latin1', 0, 4),
      data: named.subarray(4),
      whole: png.subarray(at, end),
    });
    at = end;
  }
  return chunks;
}

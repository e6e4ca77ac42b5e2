import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Samples per pixel by color type. */
const SAMPLES = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);
const [RGB, PALETTE, RGBA] = [2, 3, 6];

export interface Picture {
  width: number;
  height: number;
  /** Four bytes per pixel, row by row. */
  rgba: Buffer;
}

/**
 * Decodes a PNG of 8 bits per channel without interlacing, in bounded memory: four bytes per pixel.
 * @throws Error with a message for users; `damaged` if the pixels are not complete
 */
export function decodePng(png: Buffer, maxSide: number): Picture {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('The logo must be a PNG.');
  const chunks = readChunks(png);
  const header = chunks[0];
  if (header?.type !== 'IHDR' || header.data.length !== 13 || chunks.at(-1)?.type !== 'IEND') throw damaged();
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  const [depth, colorType = 0, compression, filtering, interlaced] = header.data.subarray(8);
  if (width < 1 || height < 1 || width > maxSide || height > maxSide)
    throw new Error(`The logo must have at most ${maxSide} × ${maxSide} pixels.`);
  const samples = SAMPLES.get(colorType);
  if (depth !== 8 || interlaced !== 0 || samples === undefined)
    throw new Error('Save the PNG with 8 bits per channel and without interlacing.');
  if (compression !== 0 || filtering !== 0) throw damaged();
  const dataOf = (kind: string) => chunks.flatMap(({ type, data }) => (type === kind ? [data] : []));
  const rowLength = 1 + width * samples;
  const rows = inflateExactly(Buffer.concat(dataOf('IDAT')), rowLength * height);
  const pixels = withoutFilters(rows, rowLength, samples);
  const colors = { palette: dataOf('PLTE')[0], transparent: dataOf('tRNS')[0] };
  return { width, height, rgba: toRgba(pixels, colorType, colors) };
}

/** A PNG with the pixels only, as RGB if all are opaque, else as RGBA. */
export function encodePng({ width, height, rgba }: Picture): Buffer {
  const isOpaque = rgba.every((value, at) => at % 4 !== 3 || value === 255);
  const samples = isOpaque ? 3 : 4;
  const pixels = isOpaque ? rgba.filter((_, at) => at % 4 !== 3) : rgba;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, isOpaque ? RGB : RGBA], 8);
  return Buffer.concat([
    SIGNATURE,
    chunkOf('IHDR', header),
    chunkOf('IDAT', deflateSync(withFilters(pixels, width * samples, samples), { level: 9 })),
    chunkOf('IEND', Buffer.alloc(0)),
  ]);
}

const damaged = () => new Error('The PNG is damaged.');

interface Chunk {
  type: string;
  data: Buffer;
}

function readChunks(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = at + 12 <= png.length ? png.readUInt32BE(at) : png.length;
    const end = at + 12 + length;
    if (end > png.length) throw damaged();
    const named = png.subarray(at + 4, end - 4);
    if (crc32(named) !== png.readUInt32BE(end - 4)) throw damaged();
    chunks.push({ type: named.toString('latin1', 0, 4), data: named.subarray(4) });
    at = end;
  }
  return chunks;
}

function chunkOf(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

function inflateExactly(packed: Buffer, length: number): Buffer {
  try {
    const bytes = inflateSync(packed, { maxOutputLength: length });
    if (bytes.length === length) return bytes;
  } catch {
    // Same error as for a wrong length.
  }
  throw damaged();
}

/** Value predicted by a filter type from the bytes to the left, above, and above to the left. */
const PREDICTIONS: readonly ((left: number, up: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_, up) => up,
  (left, up) => (left + up) >> 1,
  (left, up, corner) => {
    const toLeft = Math.abs(up - corner);
    const toUp = Math.abs(left - corner);
    const toCorner = Math.abs(left + up - 2 * corner);
    if (toLeft <= toUp && toLeft <= toCorner) return left;
    return toUp <= toCorner ? up : corner;
  },
];

/** @param rows each with its filter type first */
function withoutFilters(rows: Buffer, rowLength: number, samples: number): Buffer {
  const length = rowLength - 1;
  const pixels = Buffer.alloc((rows.length / rowLength) * length);
  for (let row = 0; row * rowLength < rows.length; row++) {
    const predict = PREDICTIONS[rows[row * rowLength] ?? 0];
    if (predict === undefined) throw damaged();
    const start = row * length;
    for (let x = 0; x < length; x++) {
      const predicted = predict(...neighbors(pixels, start + x, { x, length, samples }));
      pixels[start + x] = (rows[row * rowLength + 1 + x] ?? 0) + predicted;
    }
  }
  return pixels;
}

/** Chooses per row the filter type with the smallest sum of differences, as the PNG specification recommends. */
function withFilters(pixels: Uint8Array, length: number, samples: number): Buffer {
  const height = pixels.length / length;
  const rows = Buffer.alloc(height * (1 + length));
  for (let row = 0; row < height; row++) {
    let smallest = Number.POSITIVE_INFINITY;
    for (const [type, predict] of PREDICTIONS.entries()) {
      const filtered = Buffer.alloc(1 + length, type);
      let sum = 0;
      for (let x = 0; x < length; x++) {
        const at = row * length + x;
        const difference =
          ((pixels[at] ?? 0) - predict(...neighbors(pixels, at, { x, length, samples }))) & 255;
        filtered[1 + x] = difference;
        sum += Math.min(difference, 256 - difference);
      }
      if (sum >= smallest) continue;
      smallest = sum;
      rows.set(filtered, row * (1 + length));
    }
  }
  return rows;
}

/** Left, above, and above to the left; 0 outside the picture. */
function neighbors(
  pixels: Uint8Array,
  at: number,
  { x, length, samples }: { x: number; length: number; samples: number },
): [left: number, up: number, corner: number] {
  const left = x < samples ? 0 : (pixels[at - samples] ?? 0);
  const up = pixels[at - length] ?? 0;
  return [left, up, x < samples ? 0 : (pixels[at - length - samples] ?? 0)];
}

interface Colors {
  /** Three bytes per color. */
  palette: Buffer | undefined;
  /** Alpha per color of the palette; otherwise the transparent color, two bytes per sample. */
  transparent: Buffer | undefined;
}

function toRgba(pixels: Buffer, colorType: number, { palette, transparent }: Colors): Buffer {
  if (colorType === RGBA) return pixels;
  const samples = SAMPLES.get(colorType) ?? 1;
  const rgba = Buffer.alloc((pixels.length / samples) * 4);
  const isMasked = colorType !== PALETTE && transparent?.length === 2 * samples;
  for (let at = 0, to = 0; at < pixels.length; at += samples, to += 4) {
    const color = pixels.subarray(at, at + samples);
    if (colorType === PALETTE) {
      const index = color[0] ?? 0;
      const entry = palette?.subarray(index * 3, index * 3 + 3);
      if (entry?.length !== 3) throw damaged();
      rgba.set(entry, to);
      rgba[to + 3] = transparent?.[index] ?? 255;
    } else {
      const [red = 0, green = red, blue = red] = samples < 3 ? color.subarray(0, 1) : color;
      rgba.set([red, green, blue], to);
      const isTransparent =
        isMasked && color.every((value, sample) => transparent.readUInt16BE(sample * 2) === value);
      rgba[to + 3] = samples === 2 ? (color[1] ?? 0) : isTransparent ? 0 : 255;
    }
  }
  return rgba;
}

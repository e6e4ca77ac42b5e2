import { crc32, deflateSync } from 'node:zlib';

export interface PngParts {
  width?: number;
  height?: number;
  /** 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA. */
  colorType?: number;
  interlaced?: number;
  /** Filter type of each row. */
  filter?: number;
  /** Every byte of the pixels. */
  sample?: number;
  /** Rows of pixels, if not `height`. */
  rows?: number;
  /** Chunks between header and pixels. */
  extra?: Buffer[];
}

const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** A PNG with correct checksums, whatever its parts. */
export function makePng(parts: PngParts = {}): Buffer {
  const { width = 4, height = width, colorType = 2, interlaced = 0, filter = 0, sample = 0 } = parts;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colorType, 0, 0, interlaced], 8);
  const row = Buffer.alloc(1 + width * (SAMPLES[colorType] ?? 1), sample);
  row[0] = filter;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...(parts.extra ?? []),
    pngChunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: parts.rows ?? height }, () => row)))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

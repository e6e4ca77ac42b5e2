import { crc32, deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { cleanLogo } from './logo.js';

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A PNG with one color and `extra` chunks before its pixels. */
function makePng({ side = 4, rows = 0, interlaced = 0, extra = [] as Buffer[] } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, interlaced], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...extra,
    chunk('IDAT', deflateSync(Buffer.alloc((1 + side * 3) * (rows || side)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

it('keeps a PNG and removes text and unknown chunks', () => {
  const plain = makePng();
  const text = chunk('tEXt', Buffer.from('Comment\0<script>alert(1)</script>'));
  expect(cleanLogo(plain)).toEqual(plain);
  expect(cleanLogo(makePng({ extra: [text, chunk('abCd', Buffer.from('x'))] }))).toEqual(plain);
});

it.each([
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'The logo must be a PNG.'],
  ['more than 512 pixels', makePng({ side: 513 }), '512 × 512'],
  ['interlacing', makePng({ interlaced: 1 }), 'without interlacing'],
  ['more pixels than its header', makePng({ rows: 400 }), 'damaged'],
  ['fewer pixels than its header', makePng({ rows: 2 }), 'damaged'],
  ['a missing end', makePng().subarray(0, -4), 'damaged'],
  ['more than 32 KB', Buffer.alloc(33_000), '32 KB'],
])('rejects %s', (_, png, message) => {
  expect(() => cleanLogo(png)).toThrow(message);
});

it('rejects a changed byte', () => {
  const png = makePng();
  png[20] = 9;
  expect(() => cleanLogo(png)).toThrow('damaged');
});

import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makePng, pngChunk } from '../../../test/support/png.js';
import { cleanLogo } from './logo.js';
import { decodePng, encodePng } from './png.js';

const pixelsOf = (png: Buffer) => decodePng(png, 512);

it('keeps the pixels of a PNG and nothing else of it', () => {
  const text = pngChunk('tEXt', Buffer.from('Comment\0<script>alert(1)</script>'));
  const given = makePng({ extra: [text, pngChunk('abCd', Buffer.from('x'))], filter: 2, sample: 7 });
  const logo = cleanLogo(given);
  expect(pixelsOf(logo)).toEqual(pixelsOf(given));
  expect(logo.toString('latin1')).not.toMatch(/tEXt|abCd|script/);
  expect(cleanLogo(logo)).toEqual(logo);
});

it('replaces palettes and transparent colors by RGBA', () => {
  const palette = pngChunk('PLTE', Buffer.from([1, 2, 3, 40, 50, 60]));
  const indexed = makePng({
    width: 1,
    colorType: 3,
    sample: 1,
    extra: [palette, pngChunk('tRNS', Buffer.from([9, 128]))],
  });
  expect([...pixelsOf(cleanLogo(indexed)).rgba]).toEqual([40, 50, 60, 128]);
  const transparent = pngChunk('tRNS', Buffer.from([0, 5, 0, 5, 0, 5]));
  const rgb = makePng({ width: 1, colorType: 2, sample: 5, extra: [transparent] });
  expect([...pixelsOf(cleanLogo(rgb)).rgba]).toEqual([5, 5, 5, 0]);
  const gray = makePng({ width: 1, colorType: 4, sample: 6 });
  expect([...pixelsOf(cleanLogo(gray)).rgba]).toEqual([6, 6, 6, 6]);
});

it('encodes every picture so that it is decoded to the same pixels', () => {
  const pictures = fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
    .chain(([width, height]) =>
      fc
        .uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 })
        .map((rgba) => ({ width, height, rgba: Buffer.from(rgba) })),
    );
  fc.assert(
    fc.property(pictures, (picture) => {
      expect(pixelsOf(encodePng(picture))).toEqual(picture);
    }),
  );
});

it.each([
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'The logo must be a PNG.'],
  ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'The logo must be a PNG.'],
  ['more than 512 pixels', makePng({ width: 513 }), '512 × 512'],
  ['interlacing', makePng({ interlaced: 1 }), 'without interlacing'],
  ['more pixels than its header', makePng({ rows: 400 }), 'damaged'],
  ['fewer pixels than its header', makePng({ rows: 2 }), 'damaged'],
  ['an unknown filter type', makePng({ width: 8, colorType: 6, filter: 9 }), 'damaged'],
  ['no palette', makePng({ colorType: 3 }), 'damaged'],
  [
    'a color outside its palette',
    makePng({ colorType: 3, sample: 1, extra: [pngChunk('PLTE', Buffer.alloc(3))] }),
    'damaged',
  ],
  ['a missing end', makePng().subarray(0, -4), 'damaged'],
  ['more than 32 KB', Buffer.alloc(33_000), '32 KB'],
])('rejects %s', (_, png, message) => {
  expect(() => cleanLogo(png)).toThrow(message);
});

it('stops inflating pixels at the size in the header', () => {
  const bomb = makePng({ extra: [pngChunk('IDAT', deflateSync(Buffer.alloc(8_000_000)))] });
  expect(bomb.length).toBeLessThan(32 * 1024);
  expect(() => cleanLogo(bomb)).toThrow('damaged');
});

it('rejects every changed byte', () => {
  const png = makePng({ colorType: 6, sample: 3 });
  fc.assert(
    fc.property(fc.nat(png.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = Buffer.from(png);
      damaged[at] = (damaged[at] ?? 0) ^ change;
      expect(() => cleanLogo(damaged)).toThrow(/The PNG is damaged|must be a PNG/);
    }),
  );
});

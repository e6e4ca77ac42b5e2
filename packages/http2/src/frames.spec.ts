import { describe, expect, it } from 'vitest';
import { FrameReader, frame, MAX_FRAME } from './frames.js';

describe('frames', () => {
  const frames = [
    frame(4, 0, 0, Buffer.alloc(0)),
    frame(0, 1, 3, Buffer.from('some bytes')),
    frame(0, 0, 5, Buffer.alloc(MAX_FRAME, 7)),
    frame(255, 255, 0x7fff_ffff, Buffer.alloc(300, 9)),
  ];
  const all = Buffer.concat(frames);
  const expected = frames.map((one) => [
    one[3],
    one[4],
    one.readUInt32BE(5),
    one.subarray(9).toString('hex'),
  ]);

  /** Returns the frames read from pieces of this size. */
  function takenBy(pieceBytes: number): unknown[] {
    const taken: unknown[] = [];
    const reader = new FrameReader((type, flags, stream, payload) =>
      taken.push([type, flags, stream, payload.toString('hex')]),
    );
    for (let at = 0; at < all.length; at += pieceBytes) reader.push(all.subarray(at, at + pieceBytes));
    return taken;
  }

  it.each([1, 2, 8, 9, 10, 100, MAX_FRAME, MAX_FRAME + 9, all.length])(
    'arrive whole in pieces of %d bytes',
    (bytes) => {
      expect(takenBy(bytes)).toEqual(expected);
    },
  );

  it('rejects an oversized frame as soon as its header arrives', () => {
    const reader = new FrameReader(() => undefined);
    reader.push(Buffer.from([0, 0x40]));
    expect(() => reader.push(Buffer.from([1, 0, 0, 0, 0, 0, 1]))).toThrow(
      expect.objectContaining({ code: 6 }),
    );
  });

  it('the reserved bit of a stream is ignored', () => {
    const streams: number[] = [];
    new FrameReader((_, __, stream) => streams.push(stream)).push(
      Buffer.from([0, 0, 0, 0, 0, 0x80, 0, 0, 1]),
    );
    expect(streams).toEqual([1]);
  });
});

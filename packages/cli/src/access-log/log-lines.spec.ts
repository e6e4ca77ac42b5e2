import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_LINE_BYTES, readLines } from './log-lines.js';

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const end = at + (sizes[i % sizes.length] ?? 1);
    yield bytes.subarray(at, end);
    at = end;
  }
}

async function collect(text: string, sizes: readonly number[] = [1000]): Promise<(string | null)[]> {
  const lines: (string | null)[] = [];
  for await (const line of readLines(cut(Buffer.from(text), sizes))) lines.push(line);
  return lines;
}

describe('lines of a stream', () => {
  it('come out the same however the stream is cut', async () => {
    const text = fc.array(fc.constantFrom('a', 'ü', '\n', '€', ' ')).map((parts) => parts.join(''));
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(text, sizes, async (whole, chunkSizes) => {
        const expected = whole.split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(await collect(whole, chunkSizes)).toEqual(expected);
      }),
    );
  });

  it('end with LF or CRLF, the last one with nothing', async () => {
    expect(await collect('a\r\nb\n\nc')).toEqual(['a', 'b', '', 'c']);
    expect(await collect('')).toEqual([]);
  });

  it('of 64 kB are kept and longer ones skipped, without losing the next', async () => {
    const longest = 'x'.repeat(MAX_LINE_BYTES);
    expect(await collect(`${longest}\n${longest}y\nz\n${'w'.repeat(1_000_000)}`)).toEqual([
      longest,
      null,
      'z',
      null,
    ]);
  });
});

import fc from 'fast-check';
import { Command } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { IntegerArrayReader, IntegerArrayWriter, ScriptCommand, scriptOf } from './script.js';

describe('integer arrays', () => {
  it('round-trip numbers of any width', () => {
    const writer = new IntegerArrayWriter();
    const integer = fc.oneof(
      fc.nat(300),
      fc.maxSafeNat(),
      fc.constantFrom(0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1),
    );
    fc.assert(
      fc.property(fc.array(integer, { maxLength: 4000 }), (numbers) => {
        for (const number of numbers) writer.push(number);
        const reader = new IntegerArrayReader(writer.finish());
        expect(Array.from({ length: reader.length }, () => reader.next())).toEqual(numbers);
      }),
    );
  });

  it('reject bytes that are not an array of integers', () => {
    expect(() => new IntegerArrayReader(Buffer.from([0xa1, 0x61]))).toThrow('not a MessagePack array');
    expect(() => new IntegerArrayReader(Buffer.from([0x91, 0xc3])).next()).toThrow('not a supported integer');
    expect(() => new IntegerArrayReader(Buffer.from([0x91])).next()).toThrow('truncated');
  });
});

it('writes a script call as ioredis would write its arguments', () => {
  const script = scriptOf('return 1');
  const texts = fc.array(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), { maxLength: 20 });
  const args = fc.array(
    fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.uint8Array().map(Buffer.from)),
  );
  fc.assert(
    fc.property(texts, args, (keys, values) => {
      const usual = new Command('EVALSHA', [script.sha, String(keys.length), ...keys, ...values]);
      const own = new ScriptCommand(script, keys, values).toWritable();
      expect(Buffer.from(own)).toEqual(Buffer.from(usual.toWritable(undefined as never)));
    }),
  );
});

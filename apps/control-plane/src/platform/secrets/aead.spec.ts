import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decrypt, encrypt } from './aead.js';

const key = randomBytes(32);
const plain = Buffer.from('whsec_x');

describe('what is encrypted', () => {
  it('comes back as it was, whatever it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decrypt(key, encrypt(key, bytes))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('looks different each time, and is 28 bytes longer', () => {
    const all = Array.from({ length: 1000 }, () => encrypt(key, plain).toString('hex'));
    expect(new Set(all).size).toBe(1000);
    expect(encrypt(key, plain)).toHaveLength(12 + plain.length + 16);
  });

  it('does not come back when any bit was changed', () => {
    const sealed = encrypt(key, plain);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => decrypt(key, changed), `bit ${bit}`).toThrow();
    }
  });

  it('does not come back when it was cut off, or was grown', () => {
    const sealed = encrypt(key, plain);
    for (let length = 0; length < sealed.length; length++) {
      expect(() => decrypt(key, sealed.subarray(0, length)), `${length} bytes`).toThrow();
    }
    expect(() => decrypt(key, Buffer.concat([sealed, Buffer.of(0)]))).toThrow();
  });

  it('does not come back with other bound data, or without it', () => {
    const [bound, other] = [Buffer.from('a'), Buffer.from('b')];
    const sealed = encrypt(key, plain, bound);
    expect(decrypt(key, sealed, bound)).toEqual(plain);
    expect(() => decrypt(key, sealed, other)).toThrow();
    expect(() => decrypt(key, sealed)).toThrow();
  });

  it('does not come back under another key', () => {
    expect(() => decrypt(randomBytes(32), encrypt(key, plain))).toThrow();
  });
});

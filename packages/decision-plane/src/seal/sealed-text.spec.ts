import { describe, expect, it } from 'vitest';
import { readSealed, type Seal, writeSealed } from './sealed-text.js';

const TEXT = '{"kind":"tenant","name":"{.}"}';
const seal: Seal = {
  keyId: '0123456789abcdef',
  signature: Buffer.alloc(64, 7),
  proof: { index: 3, path: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] },
};
const stored = writeSealed(seal, TEXT);
const [form = '', keyId = '', signature = '', index = '', path = ''] = stored
  .slice(0, -TEXT.length)
  .split('.');
const join = (...parts: string[]) => parts.join('.') + TEXT;

describe('a sealed text', () => {
  it('is read as it was written, on one line', () => {
    expect(readSealed(stored)).toEqual({ seal, text: TEXT });
    expect(stored).not.toContain('\n');
  });

  it('without a seal is the text itself', () => {
    expect(readSealed(TEXT)).toEqual({ seal: undefined, text: TEXT });
  });

  it('of one record has no path', () => {
    const alone = { ...seal, proof: { index: 0, path: [] } };
    expect(readSealed(writeSealed(alone, TEXT))).toEqual({ seal: alone, text: TEXT });
  });

  it.each([
    ['nothing', ''],
    ['no JSON', stored.slice(0, -TEXT.length)],
    ['another form', join('tgs2', keyId, signature, index, path)],
    ['a key id that is too short', join(form, keyId.slice(1), signature, index, path)],
    ['a key id in capitals', join(form, 'A'.repeat(16), signature, index, path)],
    ['a signature that is too short', join(form, keyId, signature.slice(4), index, path)],
    // Bits of the last character that say nothing: another text of the same bytes.
    [
      'a signature that could be written otherwise',
      join(form, keyId, `${signature.slice(0, -1)}x`, index, path),
    ],
    ['a path of no whole number of hashes', join(form, keyId, signature, index, path.slice(4))],
    ['a place beyond its tree', join(form, keyId, signature, '4', path)],
    ['a place that is no number', join(form, keyId, signature, '-1', path)],
    [
      'a path that is too long',
      join(form, keyId, signature, '0', Buffer.alloc(17 * 32).toString('base64url')),
    ],
    ['a part too many', join(form, keyId, signature, index, path, 'x')],
    ['something before it', ` ${stored}`],
  ])('is not one: %s', (_what, value) => {
    expect(readSealed(value)).toBeUndefined();
  });
});

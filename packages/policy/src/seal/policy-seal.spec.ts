import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSealKey,
  newSigningKey,
  PolicySigner,
  PolicyVerifier,
  publicKeyOf,
  readSealed,
  type Seal,
  SealError,
  type SealKind,
  writeSealed,
} from './policy-seal.js';

const signer = new PolicySigner(newSigningKey());
const other = new PolicySigner(newSigningKey());
const text = '{"kind":"tenant","tenant":"acme"}';
const KINDS: SealKind[] = ['head', 'tenant', 'announcement', 'confirmation'];
const open = (value: string, kind: SealKind = 'tenant', keys = [signer.publicKey]) =>
  new PolicyVerifier(keys).open(kind, value);

describe('a seal', () => {
  it('opens under its kind only', () => {
    for (const kind of KINDS) {
      const sealed = signer.seal(kind, text);
      for (const asked of KINDS) {
        if (asked === kind) expect(open(sealed, asked)).toBe(text);
        else
          expect(() => open(sealed, asked)).toThrow(
            new SealError('the signature does not match the content'),
          );
      }
    }
  });

  it('opens each record of a group of any size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), (count) => {
        const texts = Array.from({ length: count }, (_, i) => `{"n":${i}}`);
        const verifier = new PolicyVerifier([signer.publicKey]);
        expect(signer.sealAll('tenant', texts).map((sealed) => verifier.open('tenant', sealed))).toEqual(
          texts,
        );
      }),
      { numRuns: 30 },
    );
  });

  it('does not open with any character changed', () => {
    const sealed = signer.sealAll('tenant', [text, '{"n":1}', '{"n":2}'])[1] as string;
    for (let at = 0; at < sealed.length; at++) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === '1' ? '2' : '1'}${sealed.slice(at + 1)}`;
      expect(() => open(changed), `character ${at}`).toThrow(SealError);
    }
  });

  it('is not valid for another record of its group, also if the group is cached', () => {
    const [first = '', second = ''] = signer.sealAll('tenant', ['{"n":1}', '{"n":2}']);
    const verifier = new PolicyVerifier([signer.publicKey]);
    verifier.open('tenant', first);
    verifier.open('tenant', second);
    const moved = first.slice(0, first.indexOf('{')) + second.slice(second.indexOf('{'));
    expect(() => verifier.open('tenant', moved)).toThrow(SealError);
  });

  it('names an untrusted key, and opens with several trusted keys', () => {
    const sealed = other.seal('head', text);
    expect(() => open(sealed, 'head')).toThrow(/^signed by untrusted key [0-9a-f]{16}$/);
    expect(open(sealed, 'head', [signer.publicKey, other.publicKey])).toBe(text);
  });

  it('is required unless policy may be unsigned', () => {
    expect(() => open(text)).toThrow(new SealError('not signed'));
    expect(() => open('no record')).toThrow(new SealError('not a record'));
    const trusting = new PolicyVerifier('unsigned');
    expect(trusting.open('tenant', text)).toBe(text);
    expect(trusting.open('head', other.seal('tenant', text))).toBe(text);
  });

  it('returns undefined from `tryOpen` if it cannot be opened', () => {
    const verifier = new PolicyVerifier([signer.publicKey]);
    expect([null, undefined, '', text].map((value) => verifier.tryOpen('head', value))).toEqual(
      Array(4).fill(undefined),
    );
    expect(verifier.tryOpen('head', signer.seal('head', text))).toBe(text);
  });
});

describe('keys', () => {
  it('are 43 characters, and a signing key has a public key', () => {
    const key = newSigningKey();
    expect(isSealKey(key)).toBe(true);
    expect(publicKeyOf(key)).toBe(new PolicySigner(key).publicKey);
    expect(isSealKey(publicKeyOf(key))).toBe(true);
    // RFC 8032, 7.1, test 1.
    const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
    expect(Buffer.from(publicKeyOf(seed.toString('base64url')), 'base64url').toString('hex')).toBe(
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    );
  });

  it.each(['', 'short', `${'A'.repeat(42)}=`, 'A'.repeat(44), '!'.repeat(43)])('%j is none', (key) => {
    expect(isSealKey(key)).toBe(false);
    expect(() => new PolicySigner(key)).toThrow(/not a key/);
    expect(() => new PolicyVerifier([key])).toThrow(/not a key/);
  });

  it('are required: an empty list is an error', () => {
    expect(() => new PolicyVerifier([])).toThrow(/no public key/);
  });
});

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
  it('is one line and parses to its parts', () => {
    expect(readSealed(stored)).toEqual({ seal, text: TEXT });
    expect(stored).not.toContain('\n');
  });

  it('is the text itself without a seal', () => {
    expect(readSealed(TEXT)).toEqual({ seal: undefined, text: TEXT });
  });

  it('has no path for a single record', () => {
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

import { hkdfSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testConfig } from '../../test/support/test-app.js';
import { decrypt, encrypt, type SealBinding, SealedSecrets } from './secrets.js';

const key = randomBytes(32);
const plain = Buffer.from('whsec_x');

describe('encryption', () => {
  it('decrypts to the original for any input', () => {
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

const services = { databaseUrl: 'postgresql://x/y', redisUrl: 'redis://x' };
const secretsOf = (text?: string) =>
  new SealedSecrets(testConfig(services, text === undefined ? {} : { ENCRYPTION_SECRETS: text }));
const A = `a:${'1'.repeat(32)}`;
const B = `b:${'2'.repeat(32)}`;
const WEBHOOK: SealBinding = { purpose: 'webhook secret', id: 'whe_1' };
const INVITATION: SealBinding = { purpose: 'invitation', id: 'ivt_1', recipient: 'a@example.com' };

describe('a sealed secret', () => {
  it('opens for the use that it was sealed for, and looks different each time', () => {
    const secrets = secretsOf();
    for (const binding of [WEBHOOK, INVITATION]) {
      const sealed = secrets.seal(binding, 'whsec_x');
      expect(secrets.open(binding, sealed)).toBe('whsec_x');
      expect(secrets.seal(binding, 'whsec_x')).not.toBe(sealed);
    }
  });

  it.each<[string, SealBinding]>([
    ['purpose', { ...INVITATION, purpose: 'webhook secret' }],
    ['id', { ...INVITATION, id: 'ivt_2' }],
    ['recipient', { ...INVITATION, recipient: 'b@example.com' }],
    ['missing recipient', { purpose: 'invitation', id: 'ivt_1' }],
  ])('does not open for another %s', (_, other) => {
    const secrets = secretsOf();
    const sealed = secrets.seal(INVITATION, 'token');
    expect(() => secrets.open(other, sealed)).toThrow(/sealed for another use/);
    expect(() => secrets.openStored(other, sealed)).toThrow(/sealed for another use/);
  });

  it('does not open when a character was changed', () => {
    const secrets = secretsOf();
    const sealed = secrets.seal(WEBHOOK, 'whsec_x');
    const at = sealed.length - 3;
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    expect(() => secrets.open(WEBHOOK, changed)).toThrow();
  });

  it('opens under an older secret after a rotation, and not after that one is gone', () => {
    const sealed = secretsOf(A).seal(WEBHOOK, 'old');
    const rotated = secretsOf(`${B},${A}`);
    expect(rotated.open(WEBHOOK, sealed)).toBe('old');
    expect(rotated.seal(WEBHOOK, 'new')).toMatch(/^b:/);
    expect(() => secretsOf(B).open(WEBHOOK, sealed)).toThrow(/no secret "a"/);
  });

  it('of an earlier version, without a binding, opens as a stored secret only', () => {
    const key = Buffer.from(hkdfSync('sha256', '1'.repeat(32), '', 'tollgate webhook secret', 32));
    const unbound = `a:${encrypt(key, Buffer.from('whsec_old')).toString('base64url')}`;
    expect(secretsOf(A).openStored(WEBHOOK, unbound)).toBe('whsec_old');
    expect(() => secretsOf(A).open(WEBHOOK, unbound)).toThrow(/not bound/);
  });
});

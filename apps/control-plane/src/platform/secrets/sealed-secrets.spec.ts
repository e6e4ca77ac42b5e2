import { describe, expect, it } from 'vitest';
import { testConfig } from '../../../test/support/test-app.js';
import { SealedSecrets } from './sealed-secrets.js';

const services = { databaseUrl: 'postgresql://x/y', redisUrl: 'redis://x' };
const secretsOf = (text?: string) =>
  new SealedSecrets(testConfig(services, text === undefined ? {} : { ENCRYPTION_SECRETS: text }));
const A = `a:${'1'.repeat(32)}`;
const B = `b:${'2'.repeat(32)}`;

describe('sealed secrets', () => {
  it('open for the purpose that they were sealed for, and look different each time', () => {
    const secrets = secretsOf();
    const sealed = secrets.seal('webhook', 'whsec_x');
    expect(secrets.open('webhook', sealed)).toBe('whsec_x');
    expect(secrets.seal('webhook', 'whsec_x')).not.toBe(sealed);
    expect(() => secrets.open('other', sealed)).toThrow();
  });

  it('refuse to open when a character was changed', () => {
    const secrets = secretsOf();
    const sealed = secrets.seal('webhook', 'whsec_x');
    const at = sealed.length - 3;
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    expect(() => secrets.open('webhook', changed)).toThrow();
  });

  it('open under an older secret after a rotation, and not after that one is gone', () => {
    const sealed = secretsOf(A).seal('webhook', 'old');
    const rotated = secretsOf(`${B},${A}`);
    expect(rotated.open('webhook', sealed)).toBe('old');
    expect(rotated.seal('webhook', 'new')).toMatch(/^b:/);
    expect(() => secretsOf(B).open('webhook', sealed)).toThrow(/no secret "a"/);
  });
});

import { expect, test } from 'vitest';
import { completeSecrets } from './home.mjs';

test('creates a secret for each purpose in a new folder', () => {
  const { sessionSecret, encryptionSecrets, auditKey, tokenPepper, policyKey } = completeSecrets(undefined);
  const secrets = [
    sessionSecret,
    encryptionSecrets.slice('a:'.length),
    auditKey,
    tokenPepper,
    policyKey.private,
  ];
  expect(new Set(secrets).size).toBe(5);
  for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/);
});

test("keeps the secrets of an earlier version's folder and can decrypt its data", () => {
  const { encryptionSecrets: _, auditKey: __, policyKey: ___, ...earlier } = completeSecrets(undefined);
  const completed = completeSecrets(earlier);
  expect(completed).toMatchObject(earlier);
  expect(completed.encryptionSecrets).toMatch(new RegExp(`^a:[\\w-]{43},session:${earlier.sessionSecret}$`));
  expect(completed.auditKey).toHaveLength(43);
  expect(completeSecrets(completed)).toEqual(completed);
});

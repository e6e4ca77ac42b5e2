import { expect, test } from 'vitest';
import { completeSecrets } from './home.mjs';

test("keeps the secrets of an earlier version's folder and can decrypt its data", () => {
  const { encryptionSecrets: _, auditKey: __, policyKey: ___, ...earlier } = completeSecrets(undefined);
  const completed = completeSecrets(earlier);
  expect(completed).toMatchObject(earlier);
  expect(completed.encryptionSecrets).toMatch(new RegExp(`^a:[\\w-]{43},session:${earlier.sessionSecret}$`));
  expect(completeSecrets(completed)).toEqual(completed);
});

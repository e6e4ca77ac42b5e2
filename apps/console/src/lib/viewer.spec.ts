import { expect, it } from 'vitest';
import { nameRoles } from './viewer.js';

it('formats roles with an article', () => {
  expect(nameRoles(['OWNER'])).toBe('An Owner');
  expect(nameRoles(['OWNER', 'LIMITS_ADMIN'])).toBe('An Owner or a Limits admin');
  expect(nameRoles(['SUPPORT', 'AUDITOR'])).toBe('A Support or an Auditor');
});

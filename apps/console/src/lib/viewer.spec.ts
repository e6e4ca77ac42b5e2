import { expect, it } from 'vitest';
import { nameRoles } from './viewer.js';

it('names roles as people say them', () => {
  expect(nameRoles(['OWNER'])).toBe('An Owner');
  expect(nameRoles(['OWNER', 'LIMITS_ADMIN'])).toBe('An Owner or a Limits admin');
  expect(nameRoles(['SUPPORT', 'AUDITOR'])).toBe('A Support or an Auditor');
});

import { expect, it } from 'vitest';
import { draftOf, effectsFor, findDraftProblems, NEW_RULE, subjectRuleInput } from './subject-rule-draft.js';
import type { SubjectRuleInList } from './subject-rules-api.js';

const TENANT = { key: 'acme', timeZone: 'Europe/Berlin' };

const RULE: SubjectRuleInList = {
  ...{ id: 'sru_1', dimension: 'user', pattern: 'vip-1', apiKey: 'shop', limit: 'by-user' },
  effect: { kind: 'MULTIPLY', limit: null, percent: 250, message: null },
  ...{ status: 'SCHEDULED', startsAt: '2026-07-01T10:00:07.000Z', endsAt: '2026-12-01T10:00:09.000Z' },
  ...{ reason: 'Contract', createdBy: 'ann', createdAt: '2026-06-01T00:00:00.000Z', managedBy: 'CONSOLE' },
  ...{ removedBy: null, removedAt: null },
};

it('reads times in the time zone of the tenant and omits fields of other effects', () => {
  const draft = { ...NEW_RULE, dimension: 'ip', pattern: ' 10.0.0.0/8 ', limit: 'by-user', amount: '7' };
  const input = subjectRuleInput(TENANT, { ...draft, expiresAt: '2026-12-01T11:00', reason: 'abuse' });
  expect(input).toEqual({
    ...{ tenantKey: 'acme', dimension: 'ip', pattern: '10.0.0.0/8', apiKey: null, limit: null },
    effect: { kind: 'DENY', message: null },
    ...{ startsAt: null, expiresAt: '2026-12-01T10:00:00.000Z', reason: 'abuse' },
  });
});

it('keeps an edited rule that nobody changes, to the second', () => {
  const draft = draftOf(RULE, TENANT.timeZone);
  expect(draft).toMatchObject({ startsAt: '2026-07-01T12:00', expiresAt: '2026-12-01T11:00' });
  expect(subjectRuleInput(TENANT, draft, RULE)).toEqual({
    ...{ tenantKey: 'acme', dimension: 'user', pattern: 'vip-1', apiKey: 'shop', limit: 'by-user' },
    effect: { kind: 'MULTIPLY', percent: 250 },
    ...{ startsAt: RULE.startsAt, expiresAt: RULE.endsAt, reason: 'Contract' },
  });
  expect(draftOf({ ...RULE, status: 'ACTIVE' }, TENANT.timeZone).startsAt).toBe('');
});

it('requires a pattern, and for a changed limit its name and an amount', () => {
  expect(Object.keys(findDraftProblems(NEW_RULE))).toEqual(['pattern']);
  const draft = { ...NEW_RULE, pattern: 'u1', kind: 'SET' } as const;
  expect(Object.keys(findDraftProblems(draft))).toEqual(['apiKey', 'effect']);
  expect(findDraftProblems({ ...draft, apiKey: 'shop', limit: null, amount: '1' })).toEqual({
    limit: 'Choose a limit',
  });
  expect(findDraftProblems({ ...draft, apiKey: 'shop', limit: 'by-user', amount: '1k' })).toEqual({});
});

it('edits a rule only to effects that keep its target', () => {
  expect(effectsFor(RULE)).toEqual(['EXEMPT', 'SET', 'MULTIPLY']);
  expect(effectsFor({ ...RULE, limit: null })).toEqual(['DENY', 'EXEMPT']);
});

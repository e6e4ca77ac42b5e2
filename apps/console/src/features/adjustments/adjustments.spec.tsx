import { within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { openPage, pageOf, respond } from '../../../test/open-page.js';
import { acme, invalid } from '../../../test/responses.js';
import {
  SubjectRuleSetDocument,
  SubjectRulesDocument,
  TenantDetailDocument,
} from '../../generated/graphql.js';

const accepted = { subjectRuleSet: { changeId: 'chg_1', userErrors: [] } };

async function openNewRule() {
  const opened = openPage(
    '/tenants/acme/exceptions',
    respond(TenantDetailDocument, acme()),
    respond(SubjectRulesDocument, { subjectRules: pageOf() }),
  );
  const { page, user } = opened;
  await user.click(await page.findByRole('button', { name: 'Add rule' }));
  const form = within(await page.findByRole('dialog'));
  const choose = async (field: string, option: string) => {
    await user.click(form.getByRole('combobox', { name: field }));
    await user.click(await page.findByRole('option', { name: option }));
  };
  const submit = () => user.click(form.getByRole('button', { name: 'Add rule' }));
  return { ...opened, form, choose, submit };
}

describe('form of a subject rule', () => {
  test('says what is missing after the first try, and sends nothing', async () => {
    const { form, choose, submit, sent } = await openNewRule();
    expect(form.queryByText('Enter a value or a pattern')).toBeNull();
    await submit();
    form.getByText('Enter a value or a pattern');
    await choose('Effect', 'Set to');
    form.getByText('Choose an API');
    form.getByText('Enter a whole number such as 500 or 10k');
    expect(sent(SubjectRuleSetDocument)).toEqual([]);
  });

  test('shows an error of the server at its field until the rule is accepted', async () => {
    const { page, user, form, submit, answerWith, sent } = await openNewRule();
    const message = 'A pattern has its * at the end';
    const userErrors = [invalid(['pattern'], message)];
    answerWith(respond(SubjectRuleSetDocument, { subjectRuleSet: { changeId: null, userErrors } }));
    const pattern = form.getByRole('textbox', { name: /^Pattern/ });
    await user.type(pattern, 'te*st');
    await submit();
    await form.findByText(message);
    expect(pattern.getAttribute('aria-invalid')).toBe('true');
    answerWith(respond(SubjectRuleSetDocument, accepted));
    await user.clear(pattern);
    await user.type(pattern, 'test-*');
    await user.type(form.getByRole('textbox', { name: /^Reason/ }), 'abuse');
    await submit();
    await page.findByText('Rule for user test-* of Acme set');
    expect(page.queryByRole('dialog')).toBeNull();
    expect(sent(SubjectRuleSetDocument).at(-1)?.input).toMatchObject({
      ...{ tenantKey: 'acme', dimension: 'user', pattern: 'test-*', reason: 'abuse' },
      ...{ limit: null, effect: { kind: 'DENY', message: null } },
    });
  });
});

describe('form of a boost', () => {
  test('requires a reason', async () => {
    const { page, user } = openPage('/tenants/acme?do=boost', respond(TenantDetailDocument, acme()));
    const form = within(await page.findByRole('dialog', { name: /^Boost limits of Acme/ }));
    await user.click(form.getByRole('button', { name: 'Start boost' }));
    form.getByText('Enter a reason, for the audit trail');
    expect(document.activeElement).toBe(form.getByRole('textbox', { name: /^Reason/ }));
  });
});

import { within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { openPage, respond } from '../../../test/open-page.js';
import { invalid } from '../../../test/responses.js';
import {
  WebhookEndpointCreateDocument,
  WebhookEndpointsDocument,
  type WebhookEndpointsQuery,
  WebhookEndpointUpdateDocument,
} from '../../generated/graphql.js';
import { RequestError } from '../../lib/graphql-request.js';

type Endpoint = WebhookEndpointsQuery['webhookEndpoints'][number];

const ENDPOINT: Endpoint = {
  ...{ id: 'whk_1', tenantKey: null, url: 'https://receiver.example.com/hook', description: '', events: [] },
  ...{
    status: 'ENABLED',
    disabledReason: null,
    previousUntil: null,
    version: 1,
    createdAt: '2026-11-01T08:00:00Z',
  },
};

const endpoints = (...webhookEndpoints: Endpoint[]) =>
  respond(WebhookEndpointsDocument, { webhookEndpoints });

const fails = (error: Error) => () => {
  throw error;
};

describe('table of webhook endpoints', () => {
  test('shows rows while it loads', async () => {
    const pending = respond(WebhookEndpointsDocument, () => new Promise<never>(() => {}));
    const { page } = openPage('/webhooks', pending);
    await page.findByRole('heading', { level: 1, name: 'Webhooks' });
    expect(document.querySelector('main [aria-busy="true"]')).not.toBeNull();
    expect(page.queryByRole('table')).toBeNull();
  });

  test('explains an empty list and offers to add the first endpoint', async () => {
    const { page, user } = openPage('/webhooks', endpoints());
    await page.findByRole('heading', { name: 'No endpoints yet' });
    await user.click(page.getByRole('button', { name: 'Add endpoint' }));
    await page.findByRole('dialog', { name: 'Add endpoint' });
  });

  test('says what failed, and loads again', async () => {
    const error = new RequestError('NOT_FOUND', 'nothing there');
    const { page, user, answerWith } = openPage('/webhooks', respond(WebhookEndpointsDocument, fails(error)));
    await page.findByRole('heading', { name: 'Tenant not found' });
    answerWith(endpoints(ENDPOINT));
    await user.click(page.getByRole('button', { name: 'Try again' }));
    await page.findByRole('table', { name: 'Webhooks' });
    expect(page.queryByRole('alert')).toBeNull();
  });

  test('says when the role cannot see the list', async () => {
    const error = new RequestError('FORBIDDEN', 'no');
    const { page } = openPage('/webhooks', respond(WebhookEndpointsDocument, fails(error)));
    await page.findByRole('heading', { name: 'Your role cannot see this' });
  });

  test('shows three events of many, and why an endpoint is disabled', async () => {
    const events = ['limit.near', 'limit.reached', 'node.stale', 'purchase.paid', 'boost.ended'];
    const { page } = openPage(
      '/webhooks',
      endpoints(ENDPOINT, {
        ...ENDPOINT,
        id: 'whk_2',
        events,
        status: 'DISABLED',
        disabledReason: 'failed for 3 days',
      }),
    );
    const [, all, some] = within(await page.findByRole('table', { name: 'Webhooks' })).getAllByRole('row');
    expect(all?.textContent).toContain('allEnabled');
    expect(some?.textContent).toContain('limit.nearlimit.reachednode.stale+2Disabledfailed for 3 days');
  });
});

describe('form of a webhook endpoint', () => {
  test('shows an error of the server at the address, then the secret once', async () => {
    const { page, user, answerWith, sent } = openPage('/webhooks', endpoints());
    await user.click(await page.findByRole('button', { name: 'Add endpoint' }));
    const form = within(await page.findByRole('dialog', { name: 'Add endpoint' }));
    const url = form.getByRole('textbox', { name: /^URL/ });
    const message = 'Enter an https:// address';
    const userErrors = [invalid(['input', 'url'], message)];
    answerWith(
      respond(WebhookEndpointCreateDocument, { webhookEndpointCreate: { secret: null, userErrors } }),
    );
    await user.type(url, 'ftp://nowhere{Enter}');
    await form.findByText(message);
    expect(url.getAttribute('aria-invalid')).toBe('true');
    answerWith(
      respond(WebhookEndpointCreateDocument, {
        webhookEndpointCreate: { secret: 'whsec_1', userErrors: [] },
      }),
    );
    await user.clear(url);
    await user.type(url, 'https://receiver.example.com/hook{Enter}');
    await page.findByText('whsec_1');
    expect(sent(WebhookEndpointCreateDocument).at(-1)).toEqual({
      input: { url: 'https://receiver.example.com/hook', description: '', events: [] },
    });
    await user.click(page.getByRole('button', { name: 'I have saved it' }));
    expect(page.queryByText('whsec_1')).toBeNull();
  });

  test('shows an error that belongs to no field above the buttons', async () => {
    const { page, user } = openPage(
      '/webhooks',
      endpoints(),
      respond(WebhookEndpointCreateDocument, fails(new RequestError('RATE_LIMITED', 'Retry in 5 s.'))),
    );
    await user.click(await page.findByRole('button', { name: 'Add endpoint' }));
    await user.click(within(await page.findByRole('dialog')).getByRole('button', { name: 'Add endpoint' }));
    expect((await page.findByRole('alert')).textContent).toBe('Retry in 5 s.');
  });

  test.each([
    ['Keep my changes', 'Mine'],
    ['Use current values', 'Theirs'],
  ])('offers both versions after a concurrent change: %s', async (choice, expected) => {
    const userErrors = [invalid(null, 'changed', 'CONFLICT')];
    const conflict = { webhookEndpointUpdate: { endpoint: null, userErrors } };
    const { page, user, answerWith, sent } = openPage(
      '/webhooks',
      endpoints(ENDPOINT),
      respond(WebhookEndpointUpdateDocument, conflict),
    );
    await user.click(await page.findByRole('button', { name: 'Edit' }));
    const form = within(await page.findByRole('dialog', { name: 'Edit endpoint' }));
    const description = form.getByRole('textbox', { name: 'Description' });
    await user.type(description, 'Mine');
    answerWith(endpoints({ ...ENDPOINT, version: 2, description: 'Theirs' }));
    await user.click(form.getByRole('button', { name: 'Save' }));
    await form.findByText(/Theirs/);
    await user.click(form.getByRole('button', { name: choice }));
    expect(description).toHaveProperty('value', expected);
    const updated = { webhookEndpointUpdate: { endpoint: { version: 3 }, userErrors: [] } };
    answerWith(respond(WebhookEndpointUpdateDocument, updated));
    await user.click(form.getByRole('button', { name: 'Save' }));
    const inputs = sent(WebhookEndpointUpdateDocument).map(({ input }) => input.expectedVersion);
    expect(inputs).toEqual(expected === 'Mine' ? [1, 2] : [1]);
    expect(page.queryByRole('dialog')).toBeNull();
  });
});

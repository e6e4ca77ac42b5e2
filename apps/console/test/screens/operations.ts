import type { Page } from 'playwright-core';
import type { Screen } from './screen.ts';

const table = (page: Page) => page.getByRole('table').first().waitFor();

export const OPERATIONS_SCREENS: readonly Screen[] = [
  { name: 'nodes', path: () => '/nodes', arrive: table },
  { name: 'revisions', path: () => '/revisions', arrive: table },
  { name: 'revision-diff', path: () => '/revisions', arrive: compareNewest },
  { name: 'rollback', path: () => '/revisions', arrive: reviewRollback },
  { name: 'audit', path: () => '/audit', arrive: table },
  {
    name: 'audit-none',
    path: () => '/audit?actor=nobody',
    arrive: (page) => page.getByRole('heading', { name: 'No matching entries' }).waitFor(),
  },
  { name: 'audit-entry', path: () => '/audit?action=tier.publish', arrive: openEntry },
  {
    name: 'webhooks',
    path: () => '/webhooks',
    arrive: (page) => page.getByText('Add endpoint').first().waitFor(),
  },
  { name: 'webhook-create', path: () => '/webhooks', arrive: addEndpoint },
  { name: 'jobs', path: () => '/jobs', arrive: table },
  {
    name: 'company',
    path: () => '/settings',
    arrive: (page) => page.getByLabel('Product name').waitFor(),
  },
  { name: 'team', path: () => '/team', arrive: table },
  { name: 'team-invite', path: () => '/team', arrive: invite },
  { name: 'service-tokens', path: () => '/service-tokens', arrive: table },
  { name: 'service-token-create', path: () => '/service-tokens', arrive: createToken },
];

async function compareNewest(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Compare' }).first().click();
  await page.getByRole('dialog').getByLabel('From').waitFor();
}

async function reviewRollback(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Roll back' }).first().click();
  await page.getByRole('dialog').getByLabel('Reason').waitFor();
}

async function openEntry(page: Page): Promise<void> {
  const row = page.getByRole('row').filter({ hasText: 'published' }).first();
  await row.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('dialog').getByText('Hash').waitFor();
}

async function addEndpoint(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByRole('dialog').getByLabel('URL').waitFor();
}

async function invite(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('dialog').getByLabel('Email').waitFor();
}

async function createToken(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByRole('dialog').getByLabel('Name').waitFor();
}

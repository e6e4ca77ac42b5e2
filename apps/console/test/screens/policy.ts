import type { Page } from 'playwright-core';
import { heading, openForm, type Screen } from './screen.ts';

const table = (page: Page) => page.getByRole('table').first().waitFor();

const anyRate = (page: Page) =>
  page
    .getByLabel(/^Rate of/)
    .first()
    .waitFor();

export const POLICY_SCREENS: readonly Screen[] = [
  { name: 'apis', path: () => '/apis', arrive: table },
  { name: 'api-create', path: () => '/apis', arrive: openForm('Register API', 'Name') },
  { name: 'api-unknown', path: () => '/apis/nothing', arrive: heading(/no such API/i) },
  { name: 'api', path: ({ demo }) => `/apis/${demo.api}`, arrive: table },
  {
    name: 'api-pool',
    path: () => '/apis/chat',
    arrive: (page) => page.getByRole('img', { name: /^Pool/ }).waitFor(),
  },
  { name: 'api-pool-form', path: () => '/apis/chat', arrive: openPoolForm },
  {
    name: 'subject-rules',
    path: () => '/subject-rules',
    arrive: (page) => page.getByRole('heading', { level: 2 }).first().waitFor(),
  },
  { name: 'subject-rule-form', path: () => '/subject-rules', arrive: openForm('Add rule', 'Pattern') },
  { name: 'tiers', path: () => '/tiers', arrive: (page) => page.locator('[data-cell]').first().waitFor() },
  { name: 'tiers-edited', path: () => '/tiers', arrive: editMatrix },
  { name: 'tier', path: () => '/tiers/pro', arrive: anyRate },
  { name: 'tier-details', path: () => '/tiers/pro', arrive: openFirstLimit },
  { name: 'tier-review', path: () => '/tiers/pro', arrive: reviewOneChange },
  { name: 'tier-review-guard', path: () => '/tiers/pro', arrive: reviewWithGuard },
  {
    name: 'tier-compare',
    path: () => '/tiers/compare?a=free&b=pro',
    arrive: (page) => page.getByText('create-minute').first().waitFor(),
  },
  { name: 'tier-create', path: () => '/tiers', arrive: openForm('Create tier', 'Name') },
  { name: 'change-set', path: () => '/change-sets', arrive: openChangeSet },
  {
    name: 'change-sets',
    path: () => '/change-sets',
    arrive: (page) => page.getByRole('heading', { level: 1, name: 'Change sets' }).waitFor(),
  },
];

/** Opens the first submitted change set. */
async function openChangeSet(page: Page): Promise<void> {
  await page.getByRole('table').getByRole('link').first().click();
  await page.getByRole('link', { name: 'Change sets' }).first().waitFor();
  await page.getByRole('heading', { level: 2 }).first().waitFor();
}

async function openPoolForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Edit pool/ }).click();
  await page.getByRole('dialog').getByLabel('Reason').waitFor();
}

async function editMatrix(page: Page): Promise<void> {
  const cells = page.locator('[data-cell]');
  await cells.nth(0).fill('12/min');
  await cells.nth(1).fill('some');
  await page.getByText('Fix 1 error to continue').waitFor();
}

async function openFirstLimit(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Details of/ })
    .first()
    .click();
  await page.getByLabel('Algorithm').first().waitFor();
  const advanced = page.getByRole('button', { name: /^Advanced/ }).first();
  if ((await advanced.getAttribute('aria-expanded')) === 'false') await advanced.click();
  await page.getByLabel('When exceeded').first().waitFor();
  await page.mouse.move(0, 0);
}

async function reviewOneChange(page: Page): Promise<void> {
  await page
    .getByLabel(/^Rate of/)
    .first()
    .fill('123/min');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('dialog').getByLabel('Reason').waitFor();
}

async function reviewWithGuard(page: Page): Promise<void> {
  await reviewOneChange(page);
  await page.getByLabel('Revert automatically if denials rise').check();
  await page.getByLabel('Maximum rise').scrollIntoViewIfNeeded();
}

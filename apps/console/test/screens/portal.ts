import type { Page } from 'playwright-core';
import { heading, openForm, type RunningStack, type Screen } from './screen.ts';

const table = (page: Page) => page.getByRole('table').first().waitFor();
const own = (path: string) => (stack: RunningStack) => `/portal/${stack.demo.tenant}${path}`;

export const PORTAL_SCREENS: readonly Screen[] = [
  { name: 'portal', path: own(''), arrive: heading('Your limits') },
  { name: 'portal-bought', path: () => '/portal/wonka', arrive: heading('Your limits') },
  { name: 'portal-quotas', path: () => '/portal/sirius', arrive: heading('Your limits') },
  { name: 'portal-usage', path: own('/usage'), arrive: heading('Usage') },
  { name: 'portal-why', path: own('/why'), arrive: heading('Every response has a request ID') },
  { name: 'portal-buy', path: own('/buy'), arrive: (page) => page.getByRole('article').first().waitFor() },
  { name: 'portal-requests', path: own('/requests'), arrive: heading('Your requests') },
  { name: 'portal-alerts', path: own('/alerts'), arrive: table },
  { name: 'portal-quick-start', path: own('/quick-start'), arrive: heading('Send a request') },
  { name: 'portal-keys', path: own('/keys'), arrive: table },
  { name: 'portal-key-create', path: own('/keys'), arrive: openForm('Create key', 'Name') },
  { name: 'portal-invite', path: own('/members'), arrive: openForm('Invite', 'Email') },
  { name: 'portal-alert-create', path: own('/alerts'), arrive: openForm('Add threshold', 'Thresholds') },
  { name: 'portal-unknown', path: () => '/portal/nobody', arrive: heading(/./) },
  { name: 'portal-headers', path: own('/headers'), arrive: table },
  { name: 'portal-receipts', path: () => '/portal/wonka/receipts', arrive: table },
  { name: 'portal-receipt', path: () => '/portal/wonka/receipts', arrive: openReceipt },
  { name: 'portal-receipts-none', path: own('/receipts'), arrive: heading('No purchases yet') },
  { name: 'portal-members', path: own('/members'), arrive: table },
  { name: 'invitation-unusable', path: () => '/invitation#no-such-token', arrive: heading(/is invalid/) },
  { name: 'denied-unusable', path: () => '/explain#1.x', arrive: heading(/is invalid/) },
  { name: 'denied-docs', path: () => '/docs/denied-requests', arrive: heading('Denied requests') },
  { name: 'sign-up', path: () => '/sign-up', arrive: heading('Create an organization') },
];

async function openReceipt(page: Page): Promise<void> {
  await page
    .getByRole('link', { name: /Pack of 5,000 links/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Events' }).waitFor();
}

import { readFileSync } from 'node:fs';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

/** What `.tollgate/dev.json` says about a running stack, as far as the browser needs it. */
export interface RunningStack {
  consoleUrl: string;
  admin: { email: string; password: string };
  demo: { tenant: string; api: string; operation: string };
}

/** One screen: where it is, and what shows that it has drawn itself. */
export interface Screen {
  name: string;
  path: (stack: RunningStack) => string;
  /** Brings the screen into the state to look at, and resolves when it is there. */
  arrive: (page: Page) => Promise<unknown>;
}

/** Screens behind the sign-in. */
export const SCREENS: readonly Screen[] = [
  { name: 'live', path: () => '/', arrive: (page) => page.getByRole('heading', { name: 'Live' }).waitFor() },
  { name: 'apis', path: () => '/apis', arrive: (page) => page.getByRole('table').waitFor() },
  {
    name: 'api',
    path: ({ demo }) => `/apis/${demo.api}`,
    arrive: (page) => page.getByRole('table').first().waitFor(),
  },
  { name: 'tiers', path: () => '/tiers', arrive: (page) => page.getByRole('table').waitFor() },
  {
    name: 'tier',
    path: () => '/tiers/pro',
    arrive: (page) =>
      page
        .getByLabel(/^Rate of/)
        .first()
        .waitFor(),
  },
  { name: 'tier-details', path: () => '/tiers/pro', arrive: openFirstLimit },
  { name: 'tier-review', path: () => '/tiers/pro', arrive: reviewOneChange },
  { name: 'tenants', path: () => '/tenants', arrive: (page) => page.getByRole('table').waitFor() },
  {
    name: 'tenant',
    path: ({ demo }) => `/tenants/${demo.tenant}`,
    arrive: (page) => page.getByRole('heading', { name: 'Effective limits' }).waitFor(),
  },
  { name: 'nodes', path: () => '/nodes', arrive: (page) => page.getByRole('table').waitFor() },
  {
    name: 'service-tokens',
    path: () => '/service-tokens',
    arrive: (page) => page.getByRole('table').waitFor(),
  },
];

/**
 * Reads what the start command wrote.
 * @throws Error when no stack is running.
 */
export function readRunningStack(file: string | URL): RunningStack {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunningStack;
  } catch (cause) {
    throw new Error(`${file} cannot be read: start the stack first (npm start)`, { cause });
  }
}

/** Signs in with email and password and waits for the first page. */
export async function signIn(page: Page, { consoleUrl, admin }: RunningStack): Promise<void> {
  await page.goto(new URL('/sign-in', consoleUrl).href);
  await page.getByLabel('Email').fill(admin.email);
  await page.getByLabel('Password', { exact: true }).fill(admin.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
}

/** Types a new rate for the first limit of an open tier; returns what stood there. */
export async function typeRate(page: Page, rate: string): Promise<string> {
  const input = page.getByLabel(/^Rate of/).first();
  const before = await input.inputValue();
  await input.fill(rate);
  return before;
}

/** Makes axe available on every page of the context; injected before the page, so the policy does not stop it. */
export async function installAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: axe.source });
}

/** What axe finds wrong on the page now, `rule: selector` each: WCAG A and AA, and good practice. */
export async function findViolations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { axe: engine } = window as unknown as { axe: typeof axe };
    const { violations } = await engine.run(document, {
      resultTypes: ['violations'],
      // A dialog's own header counts as a second banner to axe; a reader hears the dialog alone.
      rules: { 'landmark-no-duplicate-banner': { enabled: false }, 'landmark-unique': { enabled: false } },
    });
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}`));
  });
}

/** Collects what the page writes to the console as an error or throws, from now on. */
export function collectErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  return errors;
}

async function openFirstLimit(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Details of/ })
    .first()
    .click();
  await page.getByLabel('Algorithm').first().waitFor();
  await page.mouse.move(0, 0);
}

async function reviewOneChange(page: Page): Promise<void> {
  await typeRate(page, '123/min');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('dialog').getByLabel('Reason').waitFor();
}

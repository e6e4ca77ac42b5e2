import { readFileSync } from 'node:fs';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { COMMERCE_SCREENS } from './screens/commerce.ts';
import { CUSTOMERS_SCREENS } from './screens/customers.ts';
import { OPERATIONS_SCREENS } from './screens/operations.ts';
import { OVERVIEW_SCREENS } from './screens/overview.ts';
import { POLICY_SCREENS } from './screens/policy.ts';
import { PORTAL_SCREENS } from './screens/portal.ts';
import type { RunningStack, Screen } from './screens/screen.ts';

/** Screens behind the sign-in. */
export const SCREENS: readonly Screen[] = [
  ...OVERVIEW_SCREENS,
  ...POLICY_SCREENS,
  ...CUSTOMERS_SCREENS,
  ...COMMERCE_SCREENS,
  ...PORTAL_SCREENS,
  ...OPERATIONS_SCREENS,
];

/** Reads the file written by the start command. @throws Error when no stack is running. */
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
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
}

/** Makes axe available on every page of the context; injected before the page, so the policy does not stop it. */
export async function installAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: axe.source });
}

/** Axe violations of the page, as `rule: selector`: WCAG A and AA, and best practices. */
export async function findViolations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { axe: engine } = window as unknown as { axe: typeof axe };
    const { violations } = await engine.run(document, {
      resultTypes: ['violations'],
      // Axe counts a dialog's header as a second banner; screen readers only reach the dialog.
      rules: { 'landmark-no-duplicate-banner': { enabled: false }, 'landmark-unique': { enabled: false } },
    });
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}`));
  });
}

/** Collects console errors and exceptions of the page. */
export function collectErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  return errors;
}

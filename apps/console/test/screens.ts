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
    // A button that was just enabled has the colors of a disabled one until its transition ends.
    const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(transitions.map((one) => one.finished));
    const { violations } = await engine.run(document, {
      resultTypes: ['violations'],
      // Axe counts a dialog's header as a second banner; screen readers only reach the dialog.
      rules: { 'landmark-no-duplicate-banner': { enabled: false }, 'landmark-unique': { enabled: false } },
    });
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}`));
  });
}

/** Controls whose text or edge is cut off, and a page that scrolls sideways. Scrolling containers are fine. */
export async function findClipped(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    if (document.documentElement.scrollWidth > window.innerWidth) found.push('the page scrolls sideways');
    const controls = document.querySelectorAll<HTMLElement>(
      'button, a[href], input, select, textarea, [role="tab"]',
    );
    for (const control of controls) {
      const { left, right, bottom, width } = control.getBoundingClientRect();
      if (width < 2 || !control.checkVisibility({ visibilityProperty: true })) continue;
      const name =
        (control.getAttribute('aria-label') ?? control.textContent ?? '').trim().slice(0, 40) ||
        control.tagName;
      let edges = { left: 0, right: window.innerWidth };
      for (let box = control.parentElement; box; box = box.parentElement) {
        const { overflowX, position } = getComputedStyle(box);
        if (overflowX === 'auto' || overflowX === 'scroll') {
          edges = { left: Number.NEGATIVE_INFINITY, right: Number.POSITIVE_INFINITY };
          break;
        }
        if (overflowX === 'hidden' || overflowX === 'clip') {
          const outer = box.getBoundingClientRect();
          // Headings of a list for screen readers.
          if (outer.width <= 1) edges = { left: -Infinity, right: Infinity };
          else edges = { left: Math.max(edges.left, outer.left), right: Math.min(edges.right, outer.right) };
          if (outer.width <= 1) break;
        }
        if (position === 'fixed') break;
      }
      // The closed menu of phones and the link for keyboards wait outside of the window.
      const isOutside = right <= 0 || left >= window.innerWidth || bottom <= 0;
      if (!isOutside && (left < edges.left - 1 || right > edges.right + 1)) found.push(`cut off: ${name}`);
      const labels =
        control.tagName === 'BUTTON' ? [control, ...control.querySelectorAll<HTMLElement>('span')] : [];
      for (const label of labels) {
        const { overflowX, textOverflow } = getComputedStyle(label);
        const isCut = overflowX !== 'visible' && label.scrollWidth > label.clientWidth + 1;
        if (isCut && textOverflow !== 'ellipsis') found.push(`text cut off: ${name}`);
      }
    }
    return [...new Set(found)];
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

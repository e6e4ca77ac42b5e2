import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { launchBrowser } from '@tollgate/test-kit';
import type { BrowserContext, Page } from 'playwright-core';
import { collectErrors, findViolations, installAxe, readRunningStack, SCREENS, signIn } from './screens.ts';

/**
 * Photographs every screen of a running stack, wide and narrow, light and dark, into `screenshots/` of the
 * repository, and fails when one logs an error or has an accessibility violation.
 */
const repository = path.resolve(import.meta.dirname, '../../..');
const stack = readRunningStack(process.argv[2] ?? path.join(repository, '.tollgate/dev.json'));
const folder = path.join(repository, 'screenshots');
const WIDTHS = { 1440: 900, 390: 844 } as const;
// Long enough for transitions to end and the first live frames to be drawn.
const SETTLE_MS = 1_200;
const RESIZE_MS = 350;
const TALLEST = 2_400;

mkdirSync(folder, { recursive: true });
const problems: string[] = [];
for (const colorScheme of ['light', 'dark'] as const) {
  for (const [width, height] of Object.entries(WIDTHS)) {
    const browser = await launchBrowser({ viewport: { width: Number(width), height }, colorScheme });
    try {
      await photographAll(browser.context, `${width}-${colorScheme}`);
    } finally {
      await browser.close();
    }
  }
}
for (const problem of problems) console.error(problem);
console.log(`${problems.length} problems; pictures in ${folder}`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function photographAll(context: BrowserContext, suffix: string): Promise<void> {
  await installAxe(context);
  const page = context.pages()[0] ?? (await context.newPage());
  const errors = collectErrors(page);
  await page.goto(new URL('/sign-in', stack.consoleUrl).href);
  await page.getByLabel('Email').waitFor();
  await photograph(page, 'sign-in', suffix, errors);
  await signIn(page, stack);
  for (const screen of SCREENS) {
    await page.goto(new URL(screen.path(stack), stack.consoleUrl).href);
    await screen.arrive(page);
    await photograph(page, screen.name, suffix, errors);
  }
}

async function photograph(page: Page, name: string, suffix: string, errors: string[]): Promise<void> {
  await page.waitForTimeout(SETTLE_MS);
  // A window as tall as the page, since a full-page picture cuts off what is fixed to the window.
  const viewport = page.viewportSize() ?? { width: 0, height: 0 };
  const pageHeight = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({
    width: viewport.width,
    height: Math.min(TALLEST, Math.max(viewport.height, pageHeight)),
  });
  await page.waitForTimeout(RESIZE_MS);
  await page.screenshot({ path: path.join(folder, `${name}-${suffix}.png`) });
  await page.setViewportSize(viewport);
  const found = [...errors.splice(0), ...(await findViolations(page))];
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  if (sideways) found.push('the page scrolls sideways');
  problems.push(...found.map((problem) => `${name} ${suffix}: ${problem}`));
}

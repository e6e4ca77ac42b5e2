import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { launchBrowser } from '@tollgate/test-kit';
import type { BrowserContext, Page } from 'playwright-core';
import { changeAndBack } from './revisions.ts';
import {
  collectErrors,
  findClipped,
  findViolations,
  installAxe,
  readRunningStack,
  SCREENS,
  signIn,
} from './screens.ts';
import { sendTraffic } from './traffic.ts';

/**
 * Photographs every screen of a running stack, in six widths, light and dark, into `screenshots/` of the repository,
 * and fails when one logs an error, has an accessibility violation or a control that is cut off. `--only=audit,home`
 * photographs only the screens whose names begin so; `--width=1440` and `--scheme=dark` only in that form.
 */
const repository = path.resolve(import.meta.dirname, '../../..');
const { values: options, positionals } = parseArgs({
  options: { only: { type: 'string' }, width: { type: 'string' }, scheme: { type: 'string' } },
  allowPositionals: true,
});
const stack = readRunningStack(positionals[0] ?? path.join(repository, '.tollgate/dev.json'));
const wanted = options.only?.split(',');
const screens = SCREENS.filter(({ name }) => wanted?.some((start) => name.startsWith(start)) ?? true);
const folder = path.join(repository, 'screenshots');
const WIDTHS = { 1440: 900, 1280: 800, 1200: 800, 1024: 768, 820: 1180, 390: 844 } as const;
// Long enough for transitions to end and the first live frames to be drawn.
const SETTLE_MS = 1_200;
const RESIZE_MS = 350;
const TALLEST = 2_400;
const ACTION_TIMEOUT_MS = 12_000;

mkdirSync(folder, { recursive: true });
await changeAndBack(stack);
const traffic = sendTraffic(stack);
const problems: string[] = [];
const note = (...found: string[]) => {
  problems.push(...found);
  for (const problem of found) console.error(problem);
};
for (const colorScheme of ['light', 'dark'] as const) {
  if (options.scheme !== undefined && options.scheme !== colorScheme) continue;
  for (const [width, height] of Object.entries(WIDTHS)) {
    if (options.width !== undefined && options.width !== width) continue;
    const browser = await launchBrowser({ viewport: { width: Number(width), height }, colorScheme });
    try {
      await photographAll(browser.context, `${width}-${colorScheme}`);
    } finally {
      await browser.close();
    }
  }
}
await traffic.stop();
console.log(`${problems.length} problems; pictures in ${folder}`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function photographAll(context: BrowserContext, suffix: string): Promise<void> {
  await installAxe(context);
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(ACTION_TIMEOUT_MS);
  const errors = collectErrors(page);
  await page.goto(new URL('/sign-in', stack.consoleUrl).href);
  await page.getByLabel('Email').waitFor();
  await photograph(page, 'sign-in', suffix, errors);
  await signIn(page, stack);
  for (const screen of screens) {
    await page.goto(new URL(screen.path(stack), stack.consoleUrl).href);
    // Reports a screen that does not load and continues with the others.
    await screen.arrive(page).catch((error: Error) => {
      note(`${screen.name} ${suffix}: ${error.message.split('\n')[0]}`);
    });
    await photograph(page, screen.name, suffix, errors);
  }
}

async function photograph(page: Page, name: string, suffix: string, errors: string[]): Promise<void> {
  await page.waitForTimeout(SETTLE_MS);
  // A window as tall as the page: full-page screenshots cut off fixed elements.
  const viewport = page.viewportSize() ?? { width: 0, height: 0 };
  const pageHeight = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({
    width: viewport.width,
    height: Math.min(TALLEST, Math.max(viewport.height, pageHeight)),
  });
  await page.waitForTimeout(RESIZE_MS);
  await page.screenshot({ path: path.join(folder, `${name}-${suffix}.png`) });
  await page.setViewportSize(viewport);
  const found = [...errors.splice(0), ...(await findViolations(page)), ...(await findClipped(page))];
  note(...found.map((problem) => `${name} ${suffix}: ${problem}`));
}

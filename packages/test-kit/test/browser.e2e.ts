import { expect, test } from 'vitest';
import { launchBrowser } from '../src/browser.js';

const PAGE = 'data:text/html,<title>tollgate</title><h1>visible</h1>';

test('renders text without installed libraries or fonts', async () => {
  const browser = await launchBrowser();
  const page = await browser.context.newPage();
  await page.goto(PAGE);
  expect(await page.title()).toBe('tollgate');
  expect((await page.locator('h1').boundingBox())?.height).toBeGreaterThan(10);
  await browser.close();
});

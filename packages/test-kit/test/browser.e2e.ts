import { expect, test } from 'vitest';
import { launchBrowser, unpackBundledBrowser } from '../src/browser.js';

const PAGE = 'data:text/html,<title>tollgate</title><h1>visible</h1>';

test('a browser is found and shows a page', async () => {
  const browser = await launchBrowser();
  const page = await browser.context.newPage();
  await page.goto(PAGE);
  expect(await page.title()).toBe('tollgate');
  await browser.close();
});

test('the browser from npm shows text without any installed library or font', async () => {
  const browser = await launchBrowser({}, unpackBundledBrowser());
  const page = await browser.context.newPage();
  await page.goto(PAGE);
  expect((await page.locator('h1').boundingBox())?.height).toBeGreaterThan(10);
  await browser.close();
});

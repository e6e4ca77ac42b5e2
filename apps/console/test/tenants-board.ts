import path from 'node:path';
import { launchBrowser } from '@tollgate/test-kit';
import { readRunningStack, signIn } from './screens.ts';

/**
 * Measures the tasks of the tenants page of a running stack while scrolling and sorting; seed it with many tenants first.
 * Fails if a task takes more than 50 ms of processor time. Other work on the machine makes tasks longer, but adds little to
 * their processor time.
 */
const GOAL_MS = 50;
const STEPS = 120;
const stack = readRunningStack(
  process.argv[2] ?? path.resolve(import.meta.dirname, '../../../.tollgate/dev.json'),
);
const browser = await launchBrowser({ viewport: { width: 1440, height: 900 } });
const page = browser.context.pages()[0] ?? (await browser.context.newPage());
await page.goto(new URL('/sign-in', stack.consoleUrl).href);
await signIn(page, stack);
await page.goto(new URL('/tenants', stack.consoleUrl).href);
await page.locator('tr[data-index="10"]').waitFor();
await page.waitForTimeout(2000);

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Duration and processor time, microseconds. */
  dur?: number;
  tdur?: number;
  args: { name?: string };
}

/** Describes the tasks of the page's main thread during `action`. */
async function measure(action: () => Promise<void>): Promise<{ text: string; longestMs: number }> {
  const session = await browser.context.newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const ended = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  const includedCategories = ['devtools.timeline', 'disabled-by-default-devtools.timeline'];
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } });
  await action();
  await session.send('Tracing.end');
  await ended;
  await session.detach();
  const mainThreads = events
    .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
    .map(({ pid, tid }) =>
      events.filter((one) => one.name === 'RunTask' && one.pid === pid && one.tid === tid),
    );
  const [tasks = []] = mainThreads.sort((a, b) => b.length - a.length);
  const msOf = (times: number[]) => times.map((time) => time / 1000).filter((ms) => ms > GOAL_MS);
  const [wall, processor] = [msOf(tasks.map(({ dur = 0 }) => dur)), tasks.map(({ tdur = 0 }) => tdur / 1000)];
  const longestMs = Math.max(0, ...processor);
  const count = processor.filter((ms) => ms > GOAL_MS).length;
  const text = `${count} tasks above ${GOAL_MS} ms of processor time, the longest ${longestMs.toFixed(1)} ms; ${wall.length} by the clock`;
  return { text, longestMs };
}

await page.mouse.move(800, 600);
const scrolling = await measure(async () => {
  for (let step = 0; step < STEPS; step++) {
    await page.mouse.wheel(0, 900);
    await page.waitForTimeout(80);
  }
});
const rows = await page.locator('tr[data-index]').last().getAttribute('data-index');
await page.evaluate(() => window.scrollTo(0, 0));
const sorting = await measure(async () => {
  for (const name of ['Denied', 'Tenant', 'Requests', 'Time to exhaustion', 'Tightest limit']) {
    await page.getByRole('columnheader', { name }).getByRole('button').click();
    await page.waitForTimeout(1500);
  }
});
await browser.close();
console.log(`scrolled to row ${rows}: ${scrolling.text}`);
console.log(`sorted by 5 columns: ${sorting.text}`);
process.exitCode = Math.max(scrolling.longestMs, sorting.longestMs) > GOAL_MS ? 1 : 0;

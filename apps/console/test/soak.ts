import path from 'node:path';
import { launchBrowser } from '@tollgate/test-kit';
import type { Page } from 'playwright-core';
import { readRunningStack, signIn } from './screens.ts';

/** The live view at fifty updates a second for ten minutes, or for as many seconds as are said; prints heap before and after. */
const DEFAULT_SECONDS = 600;
/** Heap growth allowed without a leak. */
const TOLERANCE = 1.1;
const UPDATES_PER_SECOND = 50;
const HISTORY_SECONDS = 300;
const WARM_UP_MS = 4_000;

const seconds = Number(process.argv[2] ?? DEFAULT_SECONDS);
const repository = path.resolve(import.meta.dirname, '../../..');
const stack = readRunningStack(path.join(repository, '.tollgate/dev.json'));
const browser = await launchBrowser();
try {
  const page = browser.context.pages()[0] ?? (await browser.context.newPage());
  await signIn(page, stack);
  const { updates, heapBefore, heapAfter, longTasks } = await soakLiveView(page, stack.consoleUrl, seconds);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(
    `${updates} updates in ${seconds} s: heap ${megabytes(heapBefore)} before, ${megabytes(heapAfter)} after ` +
      `(× ${(heapAfter / heapBefore).toFixed(2)}, limit × ${TOLERANCE}), ${longTasks} tasks above 50 ms`,
  );
  process.exitCode = heapAfter > heapBefore * TOLERANCE ? 1 : 0;
} finally {
  await browser.close();
}

interface Soaked {
  updates: number;
  heapBefore: number;
  heapAfter: number;
  /** Tasks of the page that took longer than 50 ms. */
  longTasks: number;
}

/**
 * Sends the live view fifty updates a second for `seconds`, fifty times the normal rate, with a full window, and
 * measures the heap before and after. The page is signed in.
 */
async function soakLiveView(page: Page, consoleUrl: string, seconds: number): Promise<Soaked> {
  await page.addInitScript(fastStream, { perSecond: UPDATES_PER_SECOND, history: HISTORY_SECONDS });
  await page.goto(new URL('/live', consoleUrl).href);
  await page.getByRole('heading', { name: 'Decisions per second' }).waitFor();
  await page.waitForTimeout(WARM_UP_MS);
  const session = await page.context().newCDPSession(page);
  const weigh = async () => {
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize;
  };
  const counts = () =>
    page.evaluate(() => {
      const { soak } = window as unknown as { soak: { updates: number; longTasks: number } };
      return { ...soak };
    });
  const heapBefore = await weigh();
  const before = await counts();
  await page.waitForTimeout(seconds * 1_000);
  const after = await counts();
  const heapAfter = await weigh();
  await session.detach();
  return {
    updates: after.updates - before.updates,
    longTasks: after.longTasks - before.longTasks,
    heapBefore,
    heapAfter,
  };
}

/** Runs in the page before its scripts: instead of the worker, a stream that repeats the current second. */
function fastStream({ perSecond, history }: { perSecond: number; history: number }): void {
  const soak = { updates: 0, longTasks: 0 };
  Object.assign(window, { soak });
  new PerformanceObserver((list) => {
    soak.longTasks += list.getEntries().length;
  }).observe({ type: 'longtask' });
  const secondAt = (atMs: number) => ({
    at: new Date(atMs).toISOString(),
    apis: ['auth', 'chat', 'payments', 'url-shortener', 'video'].map((api, i) => ({
      api,
      allowed: Math.round(100 + 40 * Math.sin(atMs / 9_000 + i)),
      denied: Math.round(10 + 8 * Math.cos(atMs / 5_000 + i)),
    })),
    mostDenied: Array.from({ length: 10 }, (_, i) => ({
      tenant: `tenant-${(i + Math.floor(atMs / 1_000)) % 40}`,
      denied: 100 - i,
    })),
    nodes: 3,
  });
  const nowMs = () => Math.floor(Date.now() / 1_000) * 1_000;
  class FastWorker {
    private followed: number | undefined;
    private timer: ReturnType<typeof setInterval> | undefined;
    readonly port = {
      onmessage: (_event: { data: object }) => {},
      postMessage: (wanted: { id: number; operation: string }[]) => {
        const id = wanted.find(({ operation }) => operation.includes('decisionSeconds'))?.id;
        if (id === this.followed) return;
        this.followed = id;
        clearInterval(this.timer);
        if (id === undefined) return;
        const send = (...decisionSeconds: object[]) =>
          this.port.onmessage({ data: { id, data: { decisionSeconds } } });
        send(...Array.from({ length: history }, (_, i) => secondAt(nowMs() - (history - i) * 1_000)));
        this.timer = setInterval(() => {
          soak.updates += 1;
          send(secondAt(nowMs()));
        }, 1_000 / perSecond);
      },
    };
  }
  Object.assign(window, { SharedWorker: FastWorker });
}

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
  await page.addInitScript(fastEventSource, { perSecond: UPDATES_PER_SECOND, history: HISTORY_SECONDS });
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

/** Runs in the page before its scripts: a stream that repeats the current second. */
function fastEventSource({ perSecond, history }: { perSecond: number; history: number }): void {
  const soak = { updates: 0, longTasks: 0 };
  Object.assign(window, { soak });
  new PerformanceObserver((list) => {
    soak.longTasks += list.getEntries().length;
  }).observe({ type: 'longtask' });
  const frameAt = (atMs: number) => ({
    atMs,
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
  const secondNow = () => Math.floor(Date.now() / 1_000) * 1_000;
  class FastEventSource extends EventTarget {
    static readonly CLOSED = 2;
    readyState = 1;
    onmessage: ((event: MessageEvent<string>) => void) | null = null;
    onerror: (() => void) | null = null;
    private readonly timer: ReturnType<typeof setInterval>;
    constructor() {
      super();
      setTimeout(() => {
        const frames = Array.from({ length: history }, (_, i) =>
          frameAt(secondNow() - (history - i) * 1_000),
        );
        this.dispatchEvent(new MessageEvent('history', { data: JSON.stringify(frames) }));
      }, 0);
      this.timer = setInterval(() => {
        soak.updates += 1;
        this.onmessage?.(new MessageEvent('message', { data: JSON.stringify(frameAt(secondNow())) }));
      }, 1_000 / perSecond);
    }
    close(): void {
      this.readyState = FastEventSource.CLOSED;
      clearInterval(this.timer);
    }
  }
  Object.assign(window, { EventSource: FastEventSource });
}

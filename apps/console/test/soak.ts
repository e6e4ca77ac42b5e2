import path from 'node:path';
import { launchBrowser } from '@tollgate/test-kit';
import { soakLiveView } from './live-soak.ts';
import { readRunningStack, signIn } from './screens.ts';

/** The live view at fifty updates a second for ten minutes, or for as many seconds as are said; prints heap before and after. */
const DEFAULT_SECONDS = 600;
/** Heap growth allowed without a leak. */
const TOLERANCE = 1.1;

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
    `${updates} updates in ${seconds} s: heap ${megabytes(heapBefore)} before, ${megabytes(heapAfter)} after, ` +
      `${longTasks} tasks above 50 ms`,
  );
  process.exitCode = heapAfter > heapBefore * TOLERANCE ? 1 : 0;
} finally {
  await browser.close();
}

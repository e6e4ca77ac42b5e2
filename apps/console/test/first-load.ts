import type { CDPSession, Page } from 'playwright-core';

/** A network link and a processor, as in Lighthouse's throttling. */
export interface Device {
  name: string;
  megabitsPerSecond: number;
  roundTripMs: number;
  /** How many times slower than this machine. */
  slowdown: number;
}

export interface LoadFigures {
  /** Bytes on the wire, with headers. */
  bytes: number;
  /** Different ones until the page is interactive: a slow machine polls before. */
  requests: number;
  firstPaintMs: number;
  largestPaintMs: number;
  /** Until the page shows its data and no long task follows. */
  interactiveMs: number;
  layoutShift: number;
  longTasks: number;
  /** Time of long tasks beyond 50 ms each. */
  blockedMs: number;
}

interface Observed {
  shift: number;
  tasks: Array<{ start: number; ms: number }>;
  firstPaint: number;
  largestPaint: number;
  shownAt: number;
}

interface Traffic {
  bytes: number;
  /** Time of the first request of each address and GraphQL operation, in milliseconds since the epoch. */
  sentAt: Map<string, number>;
}

/** Runs in the page, before its own scripts. */
function observe(): void {
  const observed: Observed = { shift: 0, tasks: [], firstPaint: 0, largestPaint: 0, shownAt: 0 };
  Object.assign(window, { observed });
  const follow = (type: string, note: (entry: PerformanceEntry & { value?: number }) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  follow('layout-shift', ({ value = 0 }) => {
    observed.shift += value;
  });
  follow('longtask', ({ startTime, duration }) => {
    observed.tasks.push({ start: startTime, ms: duration });
  });
  follow('largest-contentful-paint', ({ startTime }) => {
    observed.largestPaint = startTime;
  });
  follow('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') observed.firstPaint = startTime;
  });
  const look = () => {
    const main = document.querySelector('main');
    const isShown = main?.querySelector('h1') && !main.querySelector('[aria-busy="true"]');
    if (!isShown) observed.shownAt = 0;
    else if (observed.shownAt === 0) observed.shownAt = performance.now();
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
}

/** Long enough for the last answers and shifts after the page shows its data. */
const SETTLE_MS = 1_500;

/** Loads an address and measures until its page has shown data for a while. `isCold` empties the cache before. */
export async function measureLoad(
  page: Page,
  address: string,
  { isCold, device }: { isCold: boolean; device?: Device },
): Promise<LoadFigures> {
  // Ends the requests of the page before.
  await page.goto('about:blank');
  const session = await page.context().newCDPSession(page);
  const traffic = await countTraffic(session);
  if (isCold) await session.send('Network.clearBrowserCache');
  if (device) await throttle(session, device);
  await page.addInitScript(observe);
  await page.goto(address, { waitUntil: 'commit' });
  await page.waitForFunction((settleMs) => {
    const { shownAt } = (window as unknown as { observed: Observed }).observed;
    return shownAt > 0 && performance.now() - shownAt > settleMs;
  }, SETTLE_MS);
  const seen = await page.evaluate(() => (window as unknown as { observed: Observed }).observed);
  const startedAt = await page.evaluate(() => performance.timeOrigin);
  await session.detach();
  const lastTaskEnd = Math.max(0, ...seen.tasks.map(({ start, ms }) => start + ms));
  const interactiveMs = Math.round(Math.max(seen.shownAt, lastTaskEnd));
  return {
    bytes: traffic.bytes,
    requests: [...traffic.sentAt.values()].filter((at) => at <= startedAt + interactiveMs).length,
    firstPaintMs: Math.round(seen.firstPaint),
    largestPaintMs: Math.round(seen.largestPaint),
    interactiveMs,
    layoutShift: seen.shift,
    longTasks: seen.tasks.length,
    blockedMs: Math.round(seen.tasks.reduce((sum, { ms }) => sum + ms - 50, 0)),
  };
}

async function countTraffic(session: CDPSession): Promise<Traffic> {
  const traffic: Traffic = { bytes: 0, sentAt: new Map() };
  const received = new Map<string, number>();
  await session.send('Network.enable');
  session.on('Network.requestWillBeSent', ({ wallTime, request }) => {
    const [operation = ''] = /\b(query|subscription) \w+/.exec(request.postData ?? '') ?? [];
    const name = `${request.url} ${operation}`;
    if (!traffic.sentAt.has(name)) traffic.sentAt.set(name, wallTime * 1000);
  });
  session.on('Network.responseReceived', ({ requestId, response }) => {
    received.set(requestId, response.encodedDataLength);
    traffic.bytes += response.encodedDataLength;
  });
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    received.set(requestId, (received.get(requestId) ?? 0) + encodedDataLength);
    traffic.bytes += encodedDataLength;
  });
  // The total of a finished response corrects its parts; live streams do not finish.
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    traffic.bytes += encodedDataLength - (received.get(requestId) ?? 0);
  });
  return traffic;
}

async function throttle(session: CDPSession, device: Device): Promise<void> {
  const bytesPerSecond = (device.megabitsPerSecond * 1_000_000) / 8;
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: device.roundTripMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: device.slowdown });
}

import path from 'node:path';
import { launchBrowser } from '@tollgate/test-kit';
import { type Device, type LoadFigures, measureLoad } from './first-load.ts';
import { readRunningStack, signIn } from './screens.ts';

/**
 * Loads Home of a running stack over a slow link, with an empty and with a filled cache, and prints figures like
 * Lighthouse's. Each is the median of five loads; `node test/load.ts 1` loads once.
 */
const DEVICES: readonly Device[] = [
  { name: '1.6 Mbit/s, 150 ms', megabitsPerSecond: 1.6, roundTripMs: 150, slowdown: 1 },
  { name: '1.6 Mbit/s, 150 ms, CPU 4x slower', megabitsPerSecond: 1.6, roundTripMs: 150, slowdown: 4 },
  { name: '50 Mbit/s, 20 ms', megabitsPerSecond: 50, roundTripMs: 20, slowdown: 1 },
];
const rounds = Number(process.argv[2] ?? 5);
const stack = readRunningStack(
  path.join(path.resolve(import.meta.dirname, '../../..'), '.tollgate/dev.json'),
);

async function loadOnce(device: Device): Promise<{ cold: LoadFigures; warm: LoadFigures }> {
  const browser = await launchBrowser();
  try {
    const first = browser.context.pages()[0] ?? (await browser.context.newPage());
    await signIn(first, stack);
    await first.evaluate(() => localStorage.clear());
    await first.close();
    const page = await browser.context.newPage();
    const cold = await measureLoad(page, stack.consoleUrl, { isCold: true, device });
    return { cold, warm: await measureLoad(page, stack.consoleUrl, { isCold: false, device }) };
  } finally {
    await browser.close();
  }
}

function median(all: readonly LoadFigures[]): LoadFigures {
  const names = Object.keys(all[0] ?? {}) as Array<keyof LoadFigures>;
  const middle = (name: keyof LoadFigures) =>
    all.map((figures) => figures[name]).sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
  return Object.fromEntries(names.map((name) => [name, middle(name)])) as unknown as LoadFigures;
}

function row(name: string, figures: LoadFigures): Record<string, string | number> {
  return {
    load: name,
    KB: Math.round(figures.bytes / 1000),
    requests: figures.requests,
    'first paint ms': figures.firstPaintMs,
    'largest paint ms': figures.largestPaintMs,
    'interactive ms': figures.interactiveMs,
    'layout shift': figures.layoutShift.toFixed(4),
    'tasks > 50 ms': figures.longTasks,
    'blocked ms': figures.blockedMs,
  };
}

const rows = [];
for (const device of DEVICES) {
  const loads = [];
  for (let round = 0; round < rounds; round++) loads.push(await loadOnce(device));
  rows.push(row(`${device.name}, cold`, median(loads.map(({ cold }) => cold))));
  rows.push(row(`${device.name}, warm`, median(loads.map(({ warm }) => warm))));
}
console.table(rows);

// Memory growth of the HTTP API under constant load after warm-up.
// Usage: pnpm bench http-memory [--minutes 1]
import { setTimeout as pause } from 'node:timers/promises';
import { readOptions } from '../measure.ts';
import { thousands } from '../table.ts';
import { Field } from './http/field.ts';
import { closedLoop, openLoop } from './http/loads.ts';
import { rssMbOf } from './http/process-figures.ts';

const PER_SECOND = 5000;
const WARM_UP_MS = 5000;

const { minutes } = readOptions({ minutes: 1 });
const field = await Field.open();
try {
  const target = await field.decisionApi(1);
  const contender = { name: 'tollgate, strict', request: field.single('strict'), ...target };
  await closedLoop(contender, WARM_UP_MS);
  const samples: number[] = [];
  let running = true;
  const load = openLoop(contender, PER_SECOND, minutes * 60_000).finally(() => {
    running = false;
  });
  while (running) {
    samples.push(rssMbOf(target.pids()));
    await Promise.race([load, pause(1000)]);
  }
  // The first third warms up.
  const warm = samples.slice(Math.floor(samples.length / 3));
  const ends = `${warm[0]?.toFixed(0)} → ${warm.at(-1)?.toFixed(0)} MB`;
  const { perSecond, othersPerSecond } = await load;
  console.log(
    `\nMemory at ${thousands(perSecond + othersPerSecond)}/s over ${minutes} min, after the first third: ${ends}, slope ${slopePerMinute(warm).toFixed(2)} MB/min`,
  );
  console.log(`each tenth: ${tenths(samples).join(' ')} MB`);
} finally {
  await field.close();
}

/** The middle sample of each tenth. */
function tenths(samples: readonly number[]): string[] {
  return Array.from({ length: 10 }, (_, i) =>
    (samples[Math.floor(((i + 0.5) / 10) * samples.length)] ?? 0).toFixed(0),
  );
}

/** Least-squares slope of samples one second apart. */
function slopePerMinute(samples: readonly number[]): number {
  const n = samples.length;
  const meanX = (n - 1) / 2;
  const meanY = samples.reduce((sum, y) => sum + y, 0) / n;
  const top = samples.reduce((sum, y, x) => sum + (x - meanX) * (y - meanY), 0);
  const bottom = samples.reduce((sum, _, x) => sum + (x - meanX) ** 2, 0);
  return (top / bottom) * 60;
}

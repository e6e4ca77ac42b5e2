// Answer latency while the counter Redis is frozen, killed, unresponsive or disconnected under load.
// Usage: pnpm bench outage [--rate 2000] [--seconds 4]
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { startRedis } from '@tollgate/embedded';
import { startFaultProxy } from '@tollgate/limiter/testing';
import { build } from 'hdr-histogram-js';
import { DecisionPlane } from '../../../packages/decision-plane/src/api/decision-plane.js';
import { SHORTENER, TestRelay } from '../../../packages/decision-plane/src/testing/test-relay.js';
import { readOptions } from '../measure.ts';

const { rate: RATE, seconds: SECONDS } = readOptions({ rate: 2000, seconds: 4 });
const TICK_MS = 5;

type Fault = 'none' | 'frozen' | 'killed' | 'black hole' | 'cut off';

console.log(
  `${os.cpus()[0]?.model ?? 'unknown CPU'} × ${os.cpus().length}, Node ${process.version}, deadline 25 ms, ` +
    `${RATE.toLocaleString('en-US')} decisions/s for ${SECONDS} s, the fault after one second`,
);
console.log('fault         answers  degraded   errors   p50 ms   p99 ms p99.9 ms   max ms');
for (const fault of ['none', 'frozen', 'killed', 'black hole', 'cut off'] as const) await measure(fault);

async function measure(fault: Fault): Promise<void> {
  const dir = await mkdtemp(join(os.tmpdir(), 'tollgate-outage-'));
  const start = (name: string) => startRedis({ dir: join(dir, name), durable: false, kind: 'redis-server' });
  const [config, counters] = await Promise.all([start('config'), start('counters')]);
  const proxy = await startFaultProxy(Number(new URL(counters.url).port));
  const relay = new TestRelay(config.url);
  await relay.publish({
    apis: [SHORTENER],
    limits: [
      {
        name: 'create-rate',
        api: SHORTENER.key,
        operations: [],
        per: ['user'],
        algorithm: 'gcra',
        limit: 600,
        windowMs: 60_000,
        burst: 100,
        onUnavailable: 'share',
      },
    ],
    tenants: [relay.tenant('acme')],
  });
  const plane = await DecisionPlane.start({
    countersUrl: `redis://127.0.0.1:${proxy.port}`,
    configUrl: config.url,
    policyKeys: 'unsigned',
    nodeId: 'bench',
    version: 'bench',
  });
  const begin: Record<Fault, () => void> = {
    none: () => undefined,
    frozen: () => process.kill(counters.pid, 'SIGSTOP'),
    killed: () => process.kill(counters.pid, 'SIGKILL'),
    'black hole': () => proxy.freeze(),
    'cut off': () => void proxy.close(),
  };
  await load(plane, 200);
  const timer = setTimeout(begin[fault], 1000);
  print(fault, await load(plane, SECONDS * 1000));
  clearTimeout(timer);
  if (fault === 'frozen') process.kill(counters.pid, 'SIGCONT');
  await plane.close();
  relay.close();
  await proxy.close();
  await Promise.all([config.stop(), counters.stop()]);
  await rm(dir, { recursive: true, force: true });
}

interface Load {
  latencies: ReturnType<typeof build>;
  answers: number;
  degraded: number;
  errors: number;
}

/** Open loop: sends requests on schedule, regardless of replies. */
async function load(plane: DecisionPlane, durationMs: number): Promise<Load> {
  const result: Load = { latencies: build(), answers: 0, degraded: 0, errors: 0 };
  const ask = async (n: number) => {
    const startMs = performance.now();
    try {
      const answer = await plane.limit({
        tenant: 'acme',
        api: SHORTENER.key,
        operation: 'createURL',
        subject: { user: `u${n % 500}` },
      });
      result.answers++;
      if (answer.degraded) result.degraded++;
    } catch {
      result.errors++;
    }
    result.latencies.recordValue(Math.max(1, Math.round((performance.now() - startMs) * 1000)));
  };
  const startMs = performance.now();
  const pending: Promise<void>[] = [];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsedMs = Math.min(durationMs, performance.now() - startMs);
      while (pending.length < (elapsedMs * RATE) / 1000) pending.push(ask(pending.length));
      if (elapsedMs < durationMs) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  await Promise.all(pending);
  return result;
}

function print(fault: Fault, { latencies, answers, degraded, errors }: Load): void {
  const at = (percentile: number) =>
    (latencies.getValueAtPercentile(percentile) / 1000).toFixed(2).padStart(9);
  console.log(
    fault.padEnd(11) +
      String(answers).padStart(10) +
      String(degraded).padStart(10) +
      String(errors).padStart(9) +
      at(50) +
      at(99) +
      at(99.9) +
      (latencies.maxValue / 1000).toFixed(2).padStart(9),
  );
}

// `POST /v1/limit` while the Redis of its counters is frozen, killed or swallows everything: status and latency of answers.
// Usage: pnpm bench http-outage [--ms 4000]
import { setTimeout as pause } from 'node:timers/promises';
import { startFaultProxy } from '@tollgate/decision-plane/testing';
import { startRedis } from '@tollgate/embedded';
import { sumOf } from '../../../apps/decision-api/test/metrics-text.ts';
import { readOptions } from '../measure.ts';
import { printTable, thousands } from '../table.ts';
import type { Commanded, Contender } from './http/contenders.ts';
import { Field } from './http/field.ts';
import { openLoop, percentiles } from './http/loads.ts';

const PER_SECOND = 2000;

/** Deadline of a decision, as it is unless it is set. */
const DEADLINE_MS = '25';

type Fault = 'none' | 'frozen' | 'killed' | 'black hole';

const { ms } = readOptions({ ms: 4000 });
const rows: string[][] = [];
for (const fault of ['none', 'frozen', 'killed', 'black hole'] as const) {
  const field = await Field.open();
  try {
    rows.push([fault, ...(await measure(field, fault, Math.max(4000, ms)))]);
  } finally {
    await field.close();
  }
}
const columns = ['fault', 'answered 200', 'of them marked', 'others', 'p50', 'p99', 'p99.9', 'max'];
const title = `POST /v1/limit, ${thousands(PER_SECOND)}/s open loop, the fault after a quarter; deadline ${DEADLINE_MS} ms`;
printTable(title, columns, rows);

async function measure(field: Field, fault: Fault, ms: number): Promise<string[]> {
  const counters = await startRedis({ dir: field.folder('counters'), durable: false, kind: 'redis-server' });
  const proxy = await startFaultProxy(Number(new URL(counters.url).port));
  const target = await field.decisionApi(1, {
    REDIS_COUNTERS_URL: `redis://127.0.0.1:${proxy.port}`,
    METRICS_PORT: '0',
    DECISION_DEADLINE_MS: DEADLINE_MS,
  });
  const begin: Record<Fault, () => void> = {
    none: () => undefined,
    frozen: () => process.kill(counters.pid, 'SIGSTOP'),
    killed: () => process.kill(counters.pid, 'SIGKILL'),
    'black hole': () => proxy.freeze(),
  };
  try {
    const contender: Contender = { name: fault, request: field.single('strict'), ...target };
    await openLoop(contender, PER_SECOND, 2000);
    const markedBefore = await markedBy(target);
    // The warm-up of the generator takes a quarter of the measured time.
    const load = openLoop(contender, PER_SECOND, ms);
    await pause(ms / 2);
    begin[fault]();
    const { latency, othersLatency } = await load;
    const marked = (await markedBy(target)) - markedBefore;
    return [
      thousands(latency.totalCount),
      thousands(marked),
      thousands(othersLatency.totalCount),
      ...percentiles({ latency }, 50, 99, 99.9),
      `${(latency.maxValue / 1000).toFixed(2)} ms`,
    ];
  } finally {
    if (fault === 'frozen') process.kill(counters.pid, 'SIGCONT');
    proxy.thaw();
    await proxy.close();
    await counters.stop();
  }
}

/** Degraded decisions according to the metrics. */
async function markedBy({ metricsPort }: Commanded): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return sumOf(text, 'tollgate_requests_total', 'reason="DEGRADED"');
}

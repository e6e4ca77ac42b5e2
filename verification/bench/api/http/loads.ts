import { build, type Histogram } from 'hdr-histogram-js';
import { CONNECTIONS, type Contender } from './contenders.ts';
import { cpuUsOf } from './process-figures.ts';
import { RawClient } from './raw-client.ts';

/** Result of one load. */
export interface Load {
  perSecond: number;
  /** Answers other than 200, a second. */
  othersPerSecond: number;
  /** Microseconds of CPU of the server's processes per request. */
  cpuUs: number;
  /** The same for its Redis. */
  redisUs: number;
  latency: Histogram;
  /** Of answers other than 200. */
  othersLatency: Histogram;
}

/** More than any of these servers can handle in time. */
const OPEN_CONNECTIONS = 512;

const newHistogram = () => build({ lowestDiscernibleValue: 1, highestTrackableValue: 60_000_000 });

/** A fixed number of callers that send as soon as they are answered: measures peak throughput. */
export async function closedLoop(contender: Contender, ms: number): Promise<Load> {
  const client = await RawClient.open(contender.port, contender.connections ?? CONNECTIONS);
  try {
    await askInTurns(client, contender, ms / 4, () => undefined);
    return await measured(contender, (note) => askInTurns(client, contender, ms, note));
  } finally {
    client.close();
  }
}

/** A fixed request rate (open loop): latency counts from the due time of each request. */
export async function openLoop(contender: Contender, perSecond: number, ms: number): Promise<Load> {
  const client = await RawClient.open(contender.port, OPEN_CONNECTIONS);
  try {
    await askOnTime(client, contender, perSecond, ms / 4, () => undefined);
    return await measured(contender, (note) => askOnTime(client, contender, perSecond, ms, note));
  } finally {
    client.close();
  }
}

type Note = (status: number, sinceMs: number) => void;

async function measured(contender: Contender, run: (note: Note) => Promise<void>): Promise<Load> {
  const [latency, othersLatency] = [newHistogram(), newHistogram()];
  let [done, others] = [0, 0];
  const redis = contender.redisPid === undefined ? [] : [contender.redisPid];
  const [cpuBefore, redisBefore] = [cpuUsOf(contender.pids()), cpuUsOf(redis)];
  const startMs = performance.now();
  await run((status, sinceMs) => {
    const us = Math.max(1, Math.round((performance.now() - sinceMs) * 1000));
    if (status === 200) {
      done++;
      latency.recordValue(us);
    } else {
      others++;
      othersLatency.recordValue(us);
    }
  });
  const elapsedS = (performance.now() - startMs) / 1000;
  const all = done + others;
  return {
    perSecond: done / elapsedS,
    othersPerSecond: others / elapsedS,
    cpuUs: (cpuUsOf(contender.pids()) - cpuBefore) / all,
    redisUs: (cpuUsOf(redis) - redisBefore) / all,
    latency,
    othersLatency,
  };
}

async function askInTurns(
  client: RawClient,
  { request, connections = CONNECTIONS }: Contender,
  ms: number,
  note: Note,
): Promise<void> {
  const endMs = performance.now() + ms;
  const caller = () =>
    new Promise<void>((resolve) => {
      const ask = () => {
        const sinceMs = performance.now();
        if (sinceMs >= endMs) return resolve();
        client.send(request(), (status) => {
          note(status, sinceMs);
          ask();
        });
      };
      ask();
    });
  await Promise.all(Array.from({ length: connections }, caller));
}

async function askOnTime(
  client: RawClient,
  { request }: Contender,
  perSecond: number,
  ms: number,
  note: Note,
): Promise<void> {
  const startMs = performance.now();
  const total = Math.round((perSecond * ms) / 1000);
  let [sent, answered] = [0, 0];
  await new Promise<void>((resolve) => {
    const sendDue = () => {
      const due = Math.min(total, Math.floor(((performance.now() - startMs) * perSecond) / 1000));
      for (; sent < due; sent++) {
        const dueMs = startMs + (sent * 1000) / perSecond;
        client.send(request(), (status, sentMs) => {
          // The latency of a shed request counts from when it was sent.
          note(status, status === 200 ? dueMs : sentMs);
          if (++answered === total) resolve();
        });
      }
      if (sent < total) setTimeout(sendDue, 1);
    };
    sendDue();
  });
}

export function percentiles({ latency }: Pick<Load, 'latency'>, ...parts: number[]): string[] {
  return parts.map((part) => `${(latency.getValueAtPercentile(part) / 1000).toFixed(2)} ms`);
}

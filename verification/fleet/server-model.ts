import { build, type Histogram } from 'hdr-histogram-js';
import type { VirtualTime } from './virtual-time.ts';

/** What a server did since the last reset. */
export interface ServerLoad {
  /** Part of a core, 0 to 1. */
  utilization: number;
  calls: number;
  /** Wait of calls before their execution, ms. */
  p99WaitMs: number;
  maxWaitMs: number;
}

/** A Redis server: executes one call at a time, in the order of arrival. */
export class ServerModel {
  private readonly time: VirtualTime;
  private readonly oneWayMs: number;
  private freeAtMs = 0;
  private sinceMs = 0;
  private busyMs = 0;
  private calls = 0;
  private readonly waits: Histogram = build({
    highestTrackableValue: 60_000_000,
    numberOfSignificantValueDigits: 2,
  });

  /** @param oneWayMs time of a message between a node and the server */
  constructor(time: VirtualTime, oneWayMs: number) {
    this.time = time;
    this.oneWayMs = oneWayMs;
  }

  /**
   * Executes `run` on the server.
   * @param serviceUs CPU time of the server
   */
  call<T>(serviceUs: number, run: () => T): Promise<T> {
    const arrivesMs = this.time.nowMs + this.oneWayMs;
    const startsMs = Math.max(arrivesMs, this.freeAtMs);
    const endsMs = startsMs + serviceUs / 1000;
    this.freeAtMs = endsMs;
    this.busyMs += serviceUs / 1000;
    this.calls++;
    this.waits.recordValue(Math.round((startsMs - arrivesMs) * 1000));
    return new Promise((resolve) => {
      this.time.schedule(() => {
        const result = run();
        this.time.schedule(() => resolve(result), this.oneWayMs);
      }, endsMs - this.time.nowMs);
    });
  }

  load(): ServerLoad {
    return {
      utilization: this.busyMs / Math.max(1, this.time.nowMs - this.sinceMs),
      calls: this.calls,
      p99WaitMs: this.waits.getValueAtPercentile(99) / 1000,
      maxWaitMs: this.waits.maxValue / 1000,
    };
  }

  reset(): void {
    this.sinceMs = this.time.nowMs;
    this.busyMs = 0;
    this.calls = 0;
    this.waits.reset();
  }
}

/** The load of the busiest of several servers, with the longest waits of any. */
export function busiest(servers: readonly ServerModel[]): ServerLoad {
  const loads = servers.map((server) => server.load());
  return {
    utilization: Math.max(...loads.map(({ utilization }) => utilization)),
    calls: loads.reduce((sum, { calls }) => sum + calls, 0),
    p99WaitMs: Math.max(...loads.map(({ p99WaitMs }) => p99WaitMs)),
    maxWaitMs: Math.max(...loads.map(({ maxWaitMs }) => maxWaitMs)),
  };
}

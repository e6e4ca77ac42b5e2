import { LATENCY_BOUNDS_MS } from '@tollgate/contracts';
import type { Redis } from 'ioredis';

/** Durations counted in the buckets of `LATENCY_BOUNDS_MS`. Plain numbers: a metrics library would hash labels each time. */
export class DurationCounts {
  readonly buckets = new Float64Array(LATENCY_BOUNDS_MS.length + 1);
  sumMs = 0;

  add(ms: number): void {
    this.sumMs += ms;
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS_MS.length && ms > (LATENCY_BOUNDS_MS[bucket] as number)) bucket++;
    (this.buckets[bucket] as number)++;
  }
}

/** `late`: answered after the deadline. `error`: not answered, or by an error. */
export type CallResult = 'ok' | 'late' | 'error';

/** Calls to one role of Redis since the start. */
export class RedisCalls {
  readonly durations: Readonly<Record<CallResult, DurationCounts>> = {
    ok: new DurationCounts(),
    late: new DurationCounts(),
    error: new DurationCounts(),
  };
  /** Unix ms; undefined before the first answer. */
  lastAnswerAtMs: number | undefined;

  add(result: CallResult, ms: number): void {
    if (result !== 'error') this.lastAnswerAtMs = Date.now();
    this.durations[result].add(ms);
  }
}

/** Measures each command of a connection, from the call to its reply. Not for the decision path: adds a promise each. */
export function measureCommands(redis: Redis, calls: RedisCalls): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    const sentMs = performance.now();
    const add = (result: CallResult) => calls.add(result, performance.now() - sentMs);
    command.promise.then(
      () => add('ok'),
      () => add('error'),
    );
    return send(command, stream);
  };
}

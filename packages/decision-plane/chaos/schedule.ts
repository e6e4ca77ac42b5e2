import type { LimitPolicy } from '@tollgate/contracts';

/** A queue as its definition has it, written down without the models. */
export interface Queue {
  /** What may run at once, beyond one at a time. */
  readonly atOnce: number;
  /** When a request that comes now would run; undefined: it is turned away. */
  due(atUs: number): number | undefined;
  /** It comes now and is let in. */
  enter(atUs: number): void;
}

/** @throws Error for a limit without a queue */
export function queueOf(limit: LimitPolicy): Queue {
  const maxDelayUs = limit.throttle?.mode === 'queue' ? limit.throttle.maxDelayMs * 1000 : 0;
  switch (limit.algorithm) {
    case 'leaky_bucket':
      return spaced(spacingOf(limit), 0, limit.queue * spacingOf(limit));
    case 'gcra':
      return spaced(spacingOf(limit), limit.burst, maxDelayUs);
    case 'token_bucket':
      return spaced(spacingOf(limit), limit.capacity - 1, maxDelayUs);
    case 'sliding_window_log':
      return inWindows(limit.limit, limit.windowMs * 1000, maxDelayUs);
    default:
      throw new Error(`${limit.algorithm} has no queue`);
  }
}

function spacingOf({ limit, windowMs }: { limit: number; windowMs: number }): number {
  return Math.ceil((windowMs * 1000) / limit);
}

/** Turns come one every spacing; who is ahead of the rest by `atOnce` turns or fewer need not wait for his. */
function spaced(spacingUs: number, atOnce: number, maxDelayUs: number): Queue {
  let nextTurnUs = 0;
  const turn = (atUs: number) => Math.max(nextTurnUs, atUs);
  return {
    atOnce,
    due: (atUs) => {
      const dueUs = Math.max(atUs, turn(atUs) - atOnce * spacingUs);
      return dueUs - atUs <= maxDelayUs ? dueUs : undefined;
    },
    enter: (atUs) => {
      nextTurnUs = turn(atUs) + spacingUs;
    },
  };
}

/** Each runs as soon as fewer than `limit` have run in the window before it, and not before who came earlier. */
function inWindows(limit: number, windowUs: number, maxDelayUs: number): Queue {
  const runs: number[] = [];
  const dueAt = (atUs: number) => {
    const fits = (runs.at(-limit) ?? Number.NEGATIVE_INFINITY) + windowUs;
    return Math.max(atUs, runs.at(-1) ?? 0, fits);
  };
  return {
    atOnce: 0,
    due: (atUs) => (dueAt(atUs) - atUs <= maxDelayUs ? dueAt(atUs) : undefined),
    enter: (atUs) => void runs.push(dueAt(atUs)),
  };
}

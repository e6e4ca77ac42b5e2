import { Injectable } from '@nestjs/common';
import type { BillingInterval } from './prisma/schema.js';

/** The current time; tests replace it. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}

const DAY_MS = 86_400_000;

export type Period = { interval: BillingInterval } | { days: number };

/** The end of `count` periods after `anchor`, in UTC. Days that a month lacks become its last day. */
export function addPeriods(anchor: Date, period: Period, count: number): Date {
  if ('days' in period) return addDays(anchor, period.days * count);
  const months = period.interval === 'YEAR' ? count * 12 : count;
  const end = new Date(anchor);
  // From the first of the month, because adding a month to the 31st would skip one.
  end.setUTCDate(1);
  end.setUTCMonth(end.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  end.setUTCDate(Math.min(anchor.getUTCDate(), lastDay));
  return end;
}

export function addDays(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}

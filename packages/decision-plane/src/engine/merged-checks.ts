import { MAX_COST, TollgateError } from '@tollgate/contracts';
import type { Check } from '../store/decision-store.js';
import type { Applied } from './resolve.js';

/** The limits of several requests as those of one: each counter once. */
export class MergedChecks {
  readonly applied: Applied[] = [];
  private readonly places = new Map<string, number>();

  /**
   * Adds a request's limits. @returns where in `applied` each of them is
   * @throws TollgateError `body-invalid` when they would charge a counter more than one request may cost
   */
  add(applied: readonly Applied[]): number[] {
    return applied.map((one) => {
      const place = this.places.get(one.check.key);
      if (place === undefined) {
        this.places.set(one.check.key, this.applied.length);
        return this.applied.push(one) - 1;
      }
      const before = this.applied[place] as Applied;
      this.applied[place] = { ...before, check: sum(before, one) };
      return place;
    });
  }
}

function sum({ limit, check: a }: Applied, { check: b }: Applied): Check {
  if (a.look === true) return b.look === true ? { ...a, cost: Math.max(a.cost, b.cost) } : b;
  // A slot is a slot, however many parts of a request take it.
  if (b.look === true || limit.kind === 'concurrency') return a;
  const cost = a.cost + b.cost;
  if (cost <= MAX_COST) return { ...a, cost };
  const message = `the requests together cost more than ${MAX_COST}`;
  throw new TollgateError('body-invalid', { errors: [{ field: 'cost', message }] });
}

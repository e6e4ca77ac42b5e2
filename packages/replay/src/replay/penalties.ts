import { getOrAdd } from '@tollgate/contracts/maps';
import { type PenaltyState, penalize, type Step } from '@tollgate/limiter/algorithms';
import { penaltyKey, type WirePenalty } from '@tollgate/limiter/rules';
import type { CounterTable } from './counters.js';

interface Penalty {
  state: PenaltyState | undefined;
}

/** Penalties of counters, at most one each. Separate from the counters, because few limits have one. */
export class ReplayPenalties {
  private readonly byKey = new Map<string, Penalty>();
  private readonly byPlace = new Map<CounterTable, Map<number, Penalty>>();

  /** Counters of one name and several algorithms share a penalty, as in the store. @param key of the counter */
  add(table: CounterTable, place: number, key: string): void {
    const penalty = getOrAdd<string, Penalty>(this.byKey, penaltyKey(key), () => ({ state: undefined }));
    getOrAdd(this.byPlace, table, () => new Map<number, Penalty>()).set(place, penalty);
  }

  /** The step under the counter's penalty. @param uncharged the step at cost 0 */
  apply(
    table: CounterTable,
    place: number,
    policy: WirePenalty,
    step: Step<unknown>,
    isCharge: boolean,
    nowUs: number,
    uncharged: () => Step<unknown>,
  ): Step<unknown> {
    const penalty = this.byPlace.get(table)?.get(place);
    if (penalty === undefined) return step;
    const next = penalize(step, policy, penalty.state, isCharge, nowUs, uncharged);
    penalty.state = next.state;
    return next.step;
  }
}

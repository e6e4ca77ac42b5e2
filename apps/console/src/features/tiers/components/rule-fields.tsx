import type { AlgorithmName, Rule } from '@tollgate/contracts';
import type { ReactElement, ReactNode } from 'react';
import type { RowErrors } from '../limit-edits.js';
import { Choice } from './choice.js';
import { CountInput, DurationInput } from './parsed-input.js';

/** Every algorithm, in the order in which to offer them. */
export const ALGORITHMS: Readonly<Record<AlgorithmName, string>> = {
  fixed_window: 'Fixed window',
  sliding_window_log: 'Sliding window: exact',
  sliding_window_counter: 'Sliding window: counters',
  token_bucket: 'Token bucket',
  leaky_bucket: 'Leaky bucket: a queue',
  gcra: 'GCRA: evenly spaced',
  concurrency: 'Concurrency: at the same time',
  quota: 'Quota: by the calendar',
};

const ALIGNMENTS = { clock: 'On the clock', first_request: 'At the first request' };
const REFILLS = { continuous: 'Steadily', interval: 'All at the end of each window' };
const PERIODS = { day: 'Day', week: 'Week', month: 'Month', billing: 'Billing period' };

interface RuleFieldsProps {
  rule: Rule;
  onRule: (rule: Rule) => void;
  errors: RowErrors | undefined;
  /** Before the names of fields in `errors`. */
  path?: string;
  disabled: boolean;
}

/** What an algorithm needs besides its rate, each number in a cell of the form; nothing for a sliding log. */
export function RuleFields({ rule, onRule, errors, path = '', disabled }: RuleFieldsProps): ReactNode {
  const inputs = inputsOf(rule, onRule, (field) => ({ key: field, error: errors?.[path + field], disabled }));
  return inputs.map((input) => (
    <div key={input.key} data-span="4">
      {input}
    </div>
  ));
}

/** What an input of a field gets besides its value. */
type OwnProps = (field: string) => { key: string; error: string | undefined; disabled: boolean };

function inputsOf(rule: Rule, onRule: (rule: Rule) => void, own: OwnProps): ReactElement[] {
  const { count, duration, choice } = inputMakers(onRule, own);
  switch (rule.algorithm) {
    case 'fixed_window':
      return [
        choice('alignment', 'Windows start', ALIGNMENTS, rule.alignment, (alignment) => ({
          ...rule,
          alignment,
        })),
      ];
    case 'sliding_window_log':
      return [];
    case 'sliding_window_counter':
      return [
        count('buckets', 'Steps of a window; 1: estimated', rule.buckets, (buckets) => ({
          ...rule,
          buckets,
        })),
      ];
    case 'token_bucket':
      return [
        count('capacity', 'Bucket holds', rule.capacity, (capacity) => ({ ...rule, capacity })),
        choice('refill', 'Refilled', REFILLS, rule.refill, (refill) => ({ ...rule, refill })),
      ];
    case 'leaky_bucket':
      return [count('queue', 'Queue: may wait at most', rule.queue, (queue) => ({ ...rule, queue }))];
    case 'gcra':
      return [count('burst', 'Burst: more at once than one', rule.burst, (burst) => ({ ...rule, burst }))];
    case 'concurrency':
      return [
        duration('leaseMs', 'Slot comes back after', rule.leaseMs, (leaseMs) => ({ ...rule, leaseMs })),
      ];
    case 'quota':
      return [
        choice('period', 'Period, in the tenant’s time zone', PERIODS, rule.period, (period) => ({
          ...rule,
          period,
        })),
      ];
  }
}

/** Inputs of one field each; `to` makes the rule that holds what was put in. */
function inputMakers(onRule: (rule: Rule) => void, own: OwnProps) {
  const numberInput =
    (Input: typeof CountInput) =>
    (field: string, label: string, value: number, to: (value: number) => Rule) => {
      const { key, ...props } = own(field);
      return <Input key={key} label={label} value={value} onValue={(put) => onRule(to(put))} {...props} />;
    };
  const choice = <V extends string>(
    field: string,
    label: string,
    options: Record<V, string>,
    value: V,
    to: (value: V) => Rule,
  ) => {
    const { key, ...props } = own(field);
    const change = (put: V) => onRule(to(put));
    return <Choice key={key} label={label} options={options} value={value} onChange={change} {...props} />;
  };
  return { count: numberInput(CountInput), duration: numberInput(DurationInput), choice };
}

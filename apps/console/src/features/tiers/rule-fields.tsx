import { Select, TextInput, type TextInputProps } from '@mantine/core';
import type { AlgorithmName, LimitPolicy, Rule, Throttle } from '@tollgate/contracts';
import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import {
  formatAmount,
  formatCount,
  formatDuration,
  formatMilliseconds,
  formatPercent,
  type Parsed,
  parseAmount,
  parseCount,
  parseDuration,
  parseMilliseconds,
  parsePercent,
} from '../../lib/rate.js';
import type { ApiChoice } from './api.js';
import type { RowErrors } from './limit-edits.js';

/** Common properties of the parts of a limit form. */
export interface LimitFormProps {
  policy: LimitPolicy;
  apis: readonly ApiChoice[];
  errors: RowErrors | undefined;
  editable: boolean;
  onChange: (policy: LimitPolicy) => void;
  /** Called with whether the candidate's rate is valid. */
  onReadable: (readable: boolean) => void;
}

interface ChoiceProps<V extends string> {
  label: string;
  options: Readonly<Record<V, string>>;
  value: V;
  onChange: (value: V) => void;
  error?: string | undefined;
  disabled?: boolean;
  description?: string;
}

/** One of a few words, always exactly one of them. */
export function Choice<V extends string>({ options, onChange, ...props }: ChoiceProps<V>) {
  const values = Object.keys(options) as V[];
  return (
    <Select
      {...props}
      data={values.map((value) => ({ value, label: options[value] }))}
      onChange={(value) => value && onChange(value)}
      allowDeselect={false}
    />
  );
}

interface ParsedInputProps<V = number> {
  label: string;
  value: V;
  onValue: (value: V) => void;
  error: string | undefined;
  disabled: boolean;
  /** Shown after the value. */
  unit?: ReactNode;
  placeholder?: string;
}

/** A whole number; reads `20` as well as `1k`. */
export const CountInput = (props: ParsedInputProps) => (
  <ParsedInput {...props} parse={parseCount} format={formatCount} />
);

/** A length of time in milliseconds; reads `30s` as well as `250 ms`. */
export const DurationInput = (props: ParsedInputProps) => (
  <ParsedInput {...props} parse={parseDuration} format={formatDuration} />
);

/** A whole part of a hundred; reads `10` as well as `10 %`. */
export const PercentInput = (props: ParsedInputProps) => (
  <ParsedInput {...props} parse={parsePercent} format={formatPercent} />
);

/** Whole milliseconds, or undefined when left empty. */
export const MillisecondsInput = (props: ParsedInputProps<number | undefined>) => (
  <ParsedInput {...props} parse={parseMilliseconds} format={formatMilliseconds} />
);

interface Notation<V> {
  parse: (text: string) => Parsed<V>;
  format: (value: V) => string;
}

/** Invalid text reverts to the last valid value on blur. */
function ParsedInput<V>({
  label,
  value,
  onValue,
  error,
  disabled,
  unit,
  placeholder,
  parse,
  format,
}: ParsedInputProps<V> & Notation<V>) {
  const [typed, setTyped] = useState<string>();
  const parsed = typed === undefined ? undefined : parse(typed);
  const read = (text: string) => {
    setTyped(text);
    const now = parse(text);
    if (now.ok) onValue(now.value);
  };
  return (
    <TextInput
      label={label}
      value={typed ?? format(value)}
      onChange={(event) => read(event.currentTarget.value)}
      onBlur={() => setTyped(undefined)}
      error={parsed && !parsed.ok ? parsed.message : error}
      disabled={disabled}
      rightSection={unit}
      placeholder={placeholder}
      spellCheck={false}
      autoComplete="off"
    />
  );
}

const THROTTLES = {
  hard: 'Deny',
  soft: 'Soft: allow some more, marked',
  elastic: 'Elastic: borrow from a pool',
  queue: 'Queue: delay requests',
};

/** Fields of the behavior above the limit. */
export function ThrottleFields({ policy, apis, errors, editable, onChange }: LimitFormProps) {
  const pools = apis.find(({ key }) => key === policy.api)?.pools ?? [];
  const { throttle = { mode: 'hard' } } = policy;
  const set = (changed: Throttle) => onChange({ ...policy, throttle: changed });
  const start = (mode: Throttle['mode']) => set(throttleWith(mode, pools[0]?.name ?? ''));
  const errorOf = (field: string) => ({ error: errors?.[`throttle.${field}`], disabled: !editable });
  return (
    <>
      <div data-span="4" data-first>
        <Choice
          label="When exceeded"
          options={THROTTLES}
          value={throttle.mode}
          onChange={start}
          {...errorOf('mode')}
        />
      </div>
      <ModeFields throttle={throttle} pools={pools} onThrottle={set} own={errorOf} />
    </>
  );
}

interface ModeFieldsProps {
  throttle: Throttle;
  pools: ApiChoice['pools'];
  onThrottle: (throttle: Throttle) => void;
  own: (field: string) => { error: string | undefined; disabled: boolean };
}

/** The numbers of a mode; nothing for one that refuses. */
function ModeFields({ throttle, pools, onThrottle, own }: ModeFieldsProps) {
  return (
    <>
      {throttle.mode === 'soft' && (
        <div data-span="4">
          <PercentInput
            label="Extra allowance"
            value={throttle.percent}
            onValue={(percent) => onThrottle({ ...throttle, percent })}
            {...own('percent')}
          />
        </div>
      )}
      {throttle.mode === 'elastic' && (
        <>
          <div data-span="4">
            <PercentInput
              label="Maximum extra allowance"
              value={throttle.maxPercent}
              onValue={(maxPercent) => onThrottle({ ...throttle, maxPercent })}
              {...own('maxPercent')}
            />
          </div>
          <div data-span="4">
            <Select
              label="Pool"
              data={[...new Set([...pools.map(({ name }) => name), throttle.pool].filter(Boolean))]}
              value={throttle.pool || null}
              onChange={(pool) => pool && onThrottle({ ...throttle, pool })}
              placeholder={pools.length === 0 ? 'This API has no pools' : 'Select a pool'}
              allowDeselect={false}
              {...own('pool')}
            />
          </div>
        </>
      )}
      {throttle.mode === 'queue' && (
        <div data-span="4">
          <DurationInput
            label="Maximum delay"
            value={throttle.maxDelayMs}
            onValue={(maxDelayMs) => onThrottle({ ...throttle, maxDelayMs })}
            {...own('maxDelayMs')}
          />
        </div>
      )}
    </>
  );
}

function throttleWith(mode: Throttle['mode'], pool: string): Throttle {
  switch (mode) {
    case 'hard':
      return { mode };
    case 'soft':
      return { mode, percent: 10 };
    case 'elastic':
      return { mode, maxPercent: 100, pool };
    case 'queue':
      return { mode, maxDelayMs: 250 };
  }
}

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

/** Fields of an algorithm other than its rate; none for a sliding log. */
export function RuleFields({ rule, onRule, errors, path = '', disabled }: RuleFieldsProps): ReactNode {
  const inputs = inputsOf(rule, onRule, (field) => ({ key: field, error: errors?.[path + field], disabled }));
  return inputs.map((input) => (
    <div key={input.key} data-span="4">
      {input}
    </div>
  ));
}

/** Common properties of a field's input. */
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
        count('capacity', 'Bucket size', rule.capacity, (capacity) => ({ ...rule, capacity })),
        choice('refill', 'Refilled', REFILLS, rule.refill, (refill) => ({ ...rule, refill })),
      ];
    case 'leaky_bucket':
      return [count('queue', 'Queue length', rule.queue, (queue) => ({ ...rule, queue }))];
    case 'gcra':
      return [count('burst', 'Burst', rule.burst, (burst) => ({ ...rule, burst }))];
    case 'concurrency':
      return [duration('leaseMs', 'Lease expires after', rule.leaseMs, (leaseMs) => ({ ...rule, leaseMs }))];
    case 'quota':
      return [
        choice('period', 'Period, in the tenant’s time zone', PERIODS, rule.period, (period) => ({
          ...rule,
          period,
        })),
      ];
  }
}

/** Creates inputs of one field each; `to` builds the rule with the new value. */
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

interface RateInputProps extends Omit<TextInputProps, 'value' | 'onChange' | 'onBlur' | 'error'> {
  rule: Rule;
  /** Called when the text becomes valid. */
  onRule: (rule: Rule) => void;
  /** Called with whether the text is valid, so that the form can block submission. */
  onReadable: (readable: boolean) => void;
  error: string | undefined;
}

/** The rate of a rule as text. Invalid text stays with an error. */
export function RateInput({ rule, onRule, onReadable, error, ...props }: RateInputProps) {
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const written = formatAmount(rule);

  // An external change, such as a reload, replaces the typed text.
  useEffect(() => {
    setTyped((text) => (text !== undefined && isWritten(text, rule) ? text : undefined));
    setProblem(undefined);
    onReadable(true);
  }, [written]);
  useEffect(() => () => onReadable(true), []);

  const read = (text: string) => {
    setTyped(text);
    const parsed = parseAmount(text, rule);
    setProblem(parsed.ok ? undefined : parsed.message);
    onReadable(parsed.ok);
    if (parsed.ok) onRule(parsed.value);
  };
  return (
    <TextInput
      {...props}
      value={typed ?? written}
      onChange={(event) => read(event.currentTarget.value)}
      onBlur={() => problem === undefined && setTyped(undefined)}
      error={problem ?? error}
      spellCheck={false}
      autoComplete="off"
    />
  );
}

/** Whether a text, read as this rule's, is this rule. */
function isWritten(text: string, rule: Rule): boolean {
  const parsed = parseAmount(text, rule);
  return parsed.ok && formatAmount(parsed.value) === formatAmount(rule);
}

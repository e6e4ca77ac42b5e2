import { Select, type SelectProps } from '@mantine/core';
import {
  ALGORITHM_NAMES,
  ALGORITHMS,
  type AlgorithmName,
  type LimitPolicy,
  RULE_FIELDS,
  type Rule,
  ruleFieldsOf,
  TERM_MODES,
  type TermName,
} from '@tollgate/contracts';
import type { ComponentProps } from 'react';
import { type NOTATIONS, TypedField } from '../../components/typed-field.js';
import { LIMIT_LABELS, TERM_LABELS } from '../../lib/limit-text.js';
import { formatAmount, isUnlimited, parseAmount } from '../../lib/rate.js';
import type { ApiChoice } from './api.js';
import { fieldId, type RowErrors } from './limit-edits.js';
import { PoolField } from './pool-field.js';
import classes from './tiers.module.css';

/** Common properties of the parts of a limit form. */
export interface LimitFormProps {
  rowId: number;
  policy: LimitPolicy;
  /** The published limit of this name. */
  published: LimitPolicy | undefined;
  apis: readonly ApiChoice[];
  errors: RowErrors | undefined;
  editable: boolean;
  onChange: (policy: LimitPolicy) => void;
  /** Called with the error of an input whose text cannot be parsed, or undefined. */
  onProblem: (id: string, message: string | undefined) => void;
}

/** The ID, error and state of a field, by its path in the policy. */
export const fieldProps =
  ({ rowId, errors, editable }: Pick<LimitFormProps, 'rowId' | 'errors' | 'editable'>) =>
  (path: string) => ({ id: fieldId(rowId, path), error: errors?.[path], disabled: !editable });

/** As {@link fieldProps}, of a field with a text that can be unreadable. */
export const typedProps =
  (props: Pick<LimitFormProps, 'rowId' | 'errors' | 'editable' | 'onProblem'>) => (path: string) => {
    const own = fieldProps(props)(path);
    const onProblem = (message: string | undefined) => props.onProblem(own.id, message);
    return { ...own, onProblem, inputWrapperOrder: DESCRIPTION_BELOW };
  };

/** The inputs of a row are on one line. */
const DESCRIPTION_BELOW = [
  'label',
  'input',
  'description',
  'error',
] as const satisfies SelectProps['inputWrapperOrder'];

interface ChoiceProps<V extends string> extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  options: Readonly<Record<V, string>>;
  value: V;
  onChange: (value: V) => void;
}

/** A select that always has a value. */
export function Choice<V extends string>({ options, onChange, ...props }: ChoiceProps<V>) {
  return (
    <Select
      inputWrapperOrder={DESCRIPTION_BELOW}
      {...props}
      data={Object.entries<string>(options).map(([value, label]) => ({ value, label }))}
      onChange={(value) => value && onChange(value as V)}
    />
  );
}

/** The modes of each term. */
const MODES: Readonly<Record<TermName, Readonly<Record<string, string>>>> = {
  throttle: {
    hard: 'Deny',
    soft: 'Soft: allow some more, marked',
    elastic: 'Elastic: borrow from a pool',
    queue: 'Queue: delay requests',
  },
  enforcement: { enforce: 'Always', shadow: 'Never: shadow mode', percent: 'For a share of counters' },
  consistency: { strict: 'Strict: check Redis every time', leased: 'Leased: nodes reserve capacity' },
};

/** The numbers of the modes, by term and field, each with the value that it starts with. */
const MODE_NUMBERS: Readonly<Record<string, { label: string; unit: keyof typeof NOTATIONS; start: number }>> =
  {
    'throttle.percent': { label: TERM_LABELS['throttle.percent'], unit: 'percent', start: 10 },
    'throttle.maxPercent': { label: TERM_LABELS['throttle.maxPercent'], unit: 'percent', start: 100 },
    'throttle.maxDelayMs': { label: TERM_LABELS['throttle.maxDelayMs'], unit: 'ms', start: 250 },
    'enforcement.percent': { label: TERM_LABELS['enforcement.percent'], unit: 'percent', start: 10 },
    'consistency.leaseMs': { label: TERM_LABELS['consistency.leaseMs'], unit: 'ms', start: 1_000 },
  };

/** The mode of a term, and the fields of that mode. */
export function TermFields({ term, ...props }: LimitFormProps & { term: TermName }) {
  const { policy, apis, onChange } = props;
  const own = fieldProps(props);
  const api = apis.find(({ key }) => key === policy.api);
  const fieldsOf = (mode: string): string[] =>
    Object.keys((TERM_MODES[term] as Record<string, object>)[mode] ?? {});
  const value: { mode: string; [field: string]: unknown } = policy[term] ?? {
    mode: Object.keys(MODES[term])[0] ?? '',
  };
  const set = (changed: object) => onChange({ ...policy, [term]: changed } as LimitPolicy);
  const start = (field: string) => MODE_NUMBERS[`${term}.${field}`]?.start ?? api?.pools[0]?.name ?? '';
  return (
    <>
      <Choice
        className={classes.firstField}
        label={LIMIT_LABELS[term]}
        options={MODES[term]}
        value={value.mode}
        onChange={(mode) =>
          set({ mode, ...Object.fromEntries(fieldsOf(mode).map((field) => [field, start(field)])) })
        }
        {...own(`${term}.mode`)}
      />
      {fieldsOf(value.mode).map((field) => {
        const path = `${term}.${field}`;
        const number = MODE_NUMBERS[path];
        return number ? (
          <TypedField
            key={path}
            label={number.label}
            unit={number.unit}
            value={value[field] as number}
            onChange={(changed) => set({ ...value, [field]: changed })}
            {...typedProps(props)(path)}
          />
        ) : (
          api && (
            <PoolField
              key={path}
              api={api}
              operations={policy.operations}
              value={value.pool as string}
              onChange={(pool) => set({ ...value, pool })}
              {...own(path)}
            />
          )
        );
      })}
    </>
  );
}

/** Labels of all algorithms. */
export const ALGORITHM_LABELS = Object.fromEntries(
  ALGORITHM_NAMES.map((name) => [name, ALGORITHMS[name].label]),
) as Record<AlgorithmName, string>;

interface RuleFieldsProps {
  rule: Rule;
  onRule: (rule: Rule) => void;
  own: ReturnType<typeof typedProps>;
}

/** The fields of an algorithm except its rate. */
export function RuleFields({ rule, onRule, own }: RuleFieldsProps) {
  const values: Readonly<Record<string, unknown>> = { ...rule };
  return ruleFieldsOf(rule.algorithm).map((field) => {
    if (field === 'windowMs') return null;
    const row = RULE_FIELDS[field];
    const set = (value: unknown) => onRule({ ...rule, [field]: value } as Rule);
    const { onProblem, ...common } = { label: row.label, ...own(field) };
    return 'choices' in row ? (
      <Choice
        key={field}
        {...common}
        options={row.choices as Record<string, string>}
        value={String(values[field])}
        onChange={set}
      />
    ) : (
      <TypedField
        key={field}
        {...common}
        unit={row.unit}
        value={values[field] as number}
        onChange={set}
        onProblem={onProblem}
      />
    );
  });
}

interface RateInputProps
  extends Omit<ComponentProps<typeof TypedField<Rule>>, 'unit' | 'value' | 'onChange' | 'onUnreadable'> {
  rule: Rule;
  onRule: (rule: Rule) => void;
  /** Called for “unlimited” when the user leaves the field. */
  onUnlimited?: () => void;
}

/** The rate of a rule as text. */
export function RateInput({ rule, onRule, onUnlimited, ...props }: RateInputProps) {
  return (
    <TypedField
      {...props}
      unit={{ parse: (text) => parseAmount(text, rule), format: formatAmount }}
      value={rule}
      onChange={onRule}
      onUnreadable={(text) => isUnlimited(text) && onUnlimited?.()}
    />
  );
}

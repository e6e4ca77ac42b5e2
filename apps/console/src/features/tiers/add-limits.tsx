import { Button, MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import type { LimitPolicy } from '@tollgate/contracts';
import { summarizeLimit } from '@tollgate/contracts/limit-summary';
import { useRef, useState } from 'react';
import { Form } from '../../components/forms.js';
import { NumberText } from '../../components/typed-field.js';
import { identityOf } from '../../lib/limit-diff.js';
import { DIMENSIONS } from '../../lib/limit-fields.js';
import { LIMIT_LABELS } from '../../lib/limit-text.js';
import { isUnlimited, parseAmount } from '../../lib/rate.js';
import type { ApiChoice } from './api.js';
import { limitNameOf, nextOperations } from './limit-edits.js';
import classes from './tiers.module.css';

interface AddLimitsProps {
  apis: readonly ApiChoice[];
  /** The API to start with; otherwise the user selects one first. */
  apiKey?: string | undefined;
  existing: readonly LimitPolicy[];
  onAdd: (policy: LimitPolicy) => void;
  onClose: () => void;
}

/** Adds limits one after the other: Enter adds a limit and continues with the next operation. */
export function AddLimits({ apis, apiKey, existing, onAdd, onClose }: AddLimitsProps) {
  const [api, setApi] = useState(
    () => apis.find(({ key }) => key === apiKey) ?? (apis.length === 1 ? apis[0] : undefined),
  );
  const [operations, setOperations] = useState(() => nextOperations(api, existing));
  const [rate, setRate] = useState('');
  const [per, setPer] = useState<string[]>([]);
  const [typedName, setTypedName] = useState<string>();
  const [tried, setTried] = useState(false);
  const rateInput = useRef<HTMLInputElement>(null);
  const rule = isUnlimited(rate)
    ? ({ ok: false, message: 'Enter a limit such as 100/min, 10k/month, 5 at once or blocked' } as const)
    : parseAmount(rate, undefined);
  const scope = { api: api?.key ?? '', operations };
  const name = typedName ?? (rule.ok ? limitNameOf(scope, rule.value, existing) : '');
  const policy: LimitPolicy | undefined = rule.ok
    ? { name, ...scope, per, ...rule.value, onUnavailable: 'share' }
    : undefined;
  const isTaken = policy !== undefined && existing.some((other) => identityOf(other) === identityOf(policy));
  const submit = () => {
    setTried(true);
    if (!api || !policy || isTaken) return rateInput.current?.focus();
    onAdd(policy);
    setOperations(nextOperations(api, [...existing, policy]));
    setRate('');
    setPer([]);
    setTypedName(undefined);
    setTried(false);
    rateInput.current?.focus();
  };
  return (
    <Form
      className={classes.addLimits}
      aria-label="Add limits"
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && !event.defaultPrevented && onClose()}
    >
      <Select
        label="API"
        placeholder="Select an API"
        data={apis.map(({ key, name: label }) => ({ value: key, label }))}
        value={api?.key ?? null}
        onChange={(key) => {
          const chosen = apis.find((one) => one.key === key);
          setApi(chosen);
          setOperations(nextOperations(chosen, existing));
          rateInput.current?.focus();
        }}
        searchable
        autoFocus={!api}
        error={tried && !api && 'Select an API'}
      />
      <MultiSelect
        label={LIMIT_LABELS.operations}
        data={api?.operations.map((operation) => operation.name) ?? []}
        value={operations}
        onChange={setOperations}
        {...(operations.length === 0 ? { placeholder: 'All operations' } : {})}
      />
      <NumberText
        ref={rateInput}
        label="Limit"
        placeholder="100/min"
        value={rate}
        onChange={setRate}
        parsed={rule}
        autoFocus={api !== undefined}
        onBlur={() => setTried(rate !== '')}
        error={tried && !rule.ok ? rule.message : undefined}
      />
      <TagsInput
        label={LIMIT_LABELS.per}
        data={DIMENSIONS}
        value={per}
        onChange={setPer}
        maxTags={4}
        {...(per.length === 0 ? { placeholder: 'Tenant only' } : {})}
      />
      <TextInput
        label="Name"
        placeholder="From operation and window"
        value={name}
        onChange={(event) => setTypedName(event.currentTarget.value)}
        error={isTaken ? `${api?.name ?? ''} has another limit named ${name}` : undefined}
        spellCheck={false}
        autoComplete="off"
      />
      <div className={classes.addLimitsEnd}>
        <span className="tg-soft">
          {policy && api && policy.name !== ''
            ? summarizeLimit(policy)
            : 'Such as 100/min, 5/s, 10k/month, 5 at once or blocked. Enter adds the limit and continues with the next.'}
        </span>
        <Button variant="default" size="sm" onClick={onClose}>
          Done
        </Button>
        <Button type="submit" size="sm">
          Add
        </Button>
      </div>
    </Form>
  );
}

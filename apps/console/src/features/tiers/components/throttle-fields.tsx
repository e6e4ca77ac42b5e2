import { Select } from '@mantine/core';
import type { Throttle } from '@tollgate/contracts';
import type { ApiChoice } from '../api/tier.js';
import { Choice } from './choice.js';
import type { LimitFormProps } from './limit-form-props.js';
import { DurationInput, PercentInput } from './parsed-input.js';

const THROTTLES = {
  hard: 'Refuse',
  soft: 'Soft: let some more pass, marked',
  elastic: 'Elastic: borrow from a pool',
  queue: 'Queue: let them wait a little',
};

/** What happens past the limit. */
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

import { Group, MultiSelect, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ChangeReview } from '../../components/change-review.js';
import { KeyText } from '../../components/marks.js';
import { EmptyText, Panel } from '../../components/page.js';
import { percentages, TypedField, wholeNumbers } from '../../components/typed-field.js';
import { useForm } from '../../lib/form.js';
import { useReviewedMutation } from '../../lib/mutation.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatDuration } from '../../lib/rate.js';
import {
  API_KEYS,
  type ApiDetail,
  PoolCreateDocument,
  type PoolDetail,
  type PoolLive,
  PoolUpdateDocument,
  poolsLiveQuery,
} from './api.js';
import { type ApiFormProps, Removal } from './api-forms.js';
import classes from './apis.module.css';
import { AddPartButton, type OpenPart, PartButtons, type PartsPanelProps, usePartForms } from './parts.js';

interface PoolGaugeProps {
  pool: PoolDetail;
  /** Undefined while loading; null if unavailable. */
  live: PoolLive | undefined;
}

/** Current use of a pool: allowed, borrowed and spare capacity. */
export function PoolGauge({ pool, live }: PoolGaugeProps) {
  const capacity = live?.capacity ?? pool.capacity;
  const parts = [
    { kind: 'admitted', value: live?.admitted ?? 0, label: 'allowed' },
    { kind: 'borrowed', value: live?.borrowed ?? 0, label: 'borrowed' },
    { kind: 'spare', value: live?.spare ?? 0, label: 'spare' },
  ] as const;
  const [admitted, borrowed, spare] = parts.map(({ value }) => formatNumber(value));
  // Usage may exceed the capacity briefly, because loans are added on top.
  const scale = Math.max(capacity, (live?.admitted ?? 0) + (live?.borrowed ?? 0));
  return (
    <div className={classes.gauge}>
      <div
        role="img"
        className={classes.bar}
        aria-label={`Pool ${pool.name}: ${admitted} of ${formatNumber(capacity)} units per second allowed, ${borrowed} borrowed, ${spare} spare`}
      >
        {parts.map(({ kind, value }) => (
          <span key={kind} data-kind={kind} style={{ width: `${(value / scale) * 100}%` }} />
        ))}
        <i className={classes.mark} style={{ left: `${(capacity * pool.reclaimPercent) / scale}%` }} />
      </div>
      <dl className={classes.legend}>
        {parts.map(({ kind, value, label }) => (
          <div key={kind}>
            <dt>
              <span className={classes.swatch} data-kind={kind} aria-hidden />
              {label}
            </dt>
            <dd>{live ? `${formatNumber(value)}/s` : '–'}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

interface PoolFormProps extends ApiFormProps {
  api: ApiDetail;
  /** The pool to edit; left out: a new one. */
  pool?: PoolDetail;
}

const START_CAPACITY = 100;
const START_RECLAIM = 80;
const START_WARM_UP = { ms: 600_000, startPercent: 20 };

const WARM_UPS = [
  { value: 'none', label: 'None' },
  { value: 'ramp', label: 'Start at a part of the capacity' },
];

export function PoolForm({ api, pool, onClose, onDone, aside }: PoolFormProps) {
  const { values, set, bind, byField, review } = useForm({
    name: pool?.name ?? '',
    operations: pool?.operations ?? [],
    capacity: pool?.capacity ?? START_CAPACITY,
    reclaimPercent: pool?.reclaimPercent ?? START_RECLAIM,
    warmUp: pool?.warmUp ?? null,
  });
  const input = { apiKey: api.key, expectedVersion: api.version, ...values };
  const save = useReviewedMutation(pool ? PoolUpdateDocument : PoolCreateDocument, input, ...API_KEYS);
  const { name, warmUp, ...withoutWarmUp } = values;
  return (
    <ChangeReview
      title={pool ? `Edit pool ${name}` : `Add pool to ${api.name}`}
      permission="apis:write"
      {...save}
      config={{
        apis: { [api.key]: { name: api.name, pools: [warmUp ? values : { name, ...withoutWarmUp }] } },
      }}
      incomplete={name === ''}
      {...review}
      onClose={onClose}
      onApplied={({ changeId }) => onDone(pool ? `Pool ${name} updated` : `Pool ${name} added`, changeId)}
      {...(aside ? { aside: () => aside(save.call, onClose) } : {})}
    >
      {!pool && (
        <TextInput
          label="Name"
          description="Elastic limits refer to it by name. It cannot be changed later."
          required
          data-autofocus
          spellCheck={false}
          autoComplete="off"
          {...bind('name')}
        />
      )}
      <TypedField label="Capacity (units per second)" unit={wholeNumbers(1)} {...bind('capacity')} />
      <TypedField
        label="Lending threshold (percent)"
        description="Capacity can be borrowed while less than this share is used."
        unit={percentages(1, 100)}
        {...bind('reclaimPercent')}
      />
      <Select
        label="Warm-up after a cold start"
        description="When the service reports a cold start, the capacity grows from a part of its number."
        data={WARM_UPS}
        allowDeselect={false}
        value={warmUp ? 'ramp' : 'none'}
        onChange={(choice) => set({ warmUp: choice === 'ramp' ? START_WARM_UP : null })}
        error={byField.warmUp}
      />
      {warmUp && (
        <Group grow align="start">
          <TypedField
            label="Start"
            unit={percentages(1, 99)}
            value={warmUp.startPercent}
            onChange={(startPercent) => set({ warmUp: { ...warmUp, startPercent } })}
          />
          <TypedField
            label="Whole capacity after"
            unit="ms"
            value={warmUp.ms}
            onChange={(ms) => set({ warmUp: { ...warmUp, ms } })}
          />
        </Group>
      )}
      <MultiSelect
        label="Operations"
        data={api.operations.map((operation) => operation.name)}
        {...bind('operations')}
        {...(values.operations.length === 0 ? { placeholder: 'All operations' } : {})}
      />
    </ChangeReview>
  );
}

export function PoolsPanel(props: PartsPanelProps) {
  const { api, editable } = props;
  const { open, setOpen, form } = usePartForms<PoolDetail>(props);
  const { data: live } = useQuery({ ...poolsLiveQuery(api.key), enabled: api.pools.length > 0 });
  return (
    <Panel
      title="Pools"
      note="Capacity shared by all tenants. Elastic limits borrow spare capacity."
      flush
      actions={
        <AddPartButton label="Add pool" editable={editable} onClick={() => setOpen({ kind: 'add' })} />
      }
    >
      {api.pools.length === 0 ? (
        <EmptyText>No pools. Elastic limits need a pool to borrow from.</EmptyText>
      ) : (
        <ul className="tg-list">
          {api.pools.map((pool) => (
            <PoolRow
              key={pool.id}
              pool={pool}
              live={live?.get(pool.id)}
              editable={editable}
              onOpen={setOpen}
            />
          ))}
        </ul>
      )}
      {open?.kind === 'add' && <PoolForm {...form} />}
      {open?.kind === 'edit' && <PoolForm {...form} pool={open.part} />}
      {open?.kind === 'delete' && <Removal {...form} part={{ kind: 'pool', name: open.part.name }} />}
    </Panel>
  );
}

interface PoolRowProps {
  pool: PoolDetail;
  live: PoolLive | undefined;
  editable: boolean;
  onOpen: (open: OpenPart<PoolDetail>) => void;
}

function PoolRow({ pool, live, editable, onOpen }: PoolRowProps) {
  const { name, capacity, reclaimPercent, operations, warmUp } = pool;
  return (
    <li className={classes.pool}>
      <div>
        <KeyText fw={500}>{name}</KeyText>
        <span className={classes.facts}>
          {formatNumber(capacity)}/s · lends below {reclaimPercent} %
        </span>
        {warmUp && (
          <span className={classes.facts}>
            Warm-up from {warmUp.startPercent} % in {formatDuration(warmUp.ms)}
          </span>
        )}
        <span className={classes.facts}>
          {operations.length === 0 ? 'All operations' : operations.join(', ')}
        </span>
        {live === null && <span className={classes.facts}>Redis is unavailable. Pool usage is unknown.</span>}
        {live?.nodes === 0 && <span className={classes.facts}>No traffic.</span>}
        {live && live.warmUpLeftMs > 0 && (
          <span className={classes.facts}>
            Warming up: {formatNumber(live.capacity)}/s now,{' '}
            {formatNumber(Math.ceil(live.warmUpLeftMs / 1000))} s left.
          </span>
        )}
        {live && live.warmUpLeftMs === 0 && live.capacity < capacity && (
          <span className={classes.facts}>
            adjusted to {formatNumber(live.capacity)}/s from service reports
          </span>
        )}
      </div>
      <PoolGauge pool={pool} live={live} />
      {editable && (
        <Group gap={2} wrap="nowrap">
          <PartButtons
            editLabel={`Edit pool ${name}`}
            deleteLabel={`Delete pool ${name}`}
            onEdit={() => onOpen({ kind: 'edit', part: pool })}
            onDelete={() => onOpen({ kind: 'delete', part: pool })}
          />
        </Group>
      )}
    </li>
  );
}

import { Group, MultiSelect, NumberInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ChangeReview } from '../../components/change-review.js';
import { KeyText } from '../../components/marks.js';
import { EmptyText, Panel } from '../../components/page.js';
import { useForm } from '../../lib/form.js';
import { useReviewedMutation } from '../../lib/mutation.js';
import { formatNumber } from '../../lib/number-format.js';
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

export function PoolForm({ api, pool, onClose, onDone, aside }: PoolFormProps) {
  const { values, set, bind, byField, review } = useForm({
    name: pool?.name ?? '',
    operations: pool?.operations ?? [],
    capacity: pool?.capacity ?? START_CAPACITY,
    reclaimPercent: pool?.reclaimPercent ?? START_RECLAIM,
  });
  const input = { apiKey: api.key, expectedVersion: api.version, ...values };
  const save = useReviewedMutation(pool ? PoolUpdateDocument : PoolCreateDocument, input, ...API_KEYS);
  const { name } = values;
  return (
    <ChangeReview
      title={pool ? `Edit pool ${name}` : `Add pool to ${api.name}`}
      permission="apis:write"
      {...save}
      config={{ apis: { [api.key]: { name: api.name, pools: [values] } } }}
      incomplete={name === ''}
      {...review}
      onClose={onClose}
      onApplied={({ changeId }) => onDone(pool ? `Pool ${name} updated` : `Pool ${name} added`, changeId)}
      {...(aside ? { aside: () => aside(save.call) } : {})}
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
      <NumberInput
        label="Capacity (units per second)"
        min={1}
        allowDecimal={false}
        thousandSeparator=","
        value={values.capacity || ''}
        onChange={(value) => set({ capacity: Number(value) })}
        error={byField.capacity}
      />
      <NumberInput
        label="Lending threshold (percent)"
        description="Capacity can be borrowed while less than this share is used."
        min={1}
        max={100}
        suffix=" %"
        allowDecimal={false}
        value={values.reclaimPercent || ''}
        onChange={(value) => set({ reclaimPercent: Number(value) })}
        error={byField.reclaimPercent}
      />
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
  const { name, capacity, reclaimPercent, operations } = pool;
  return (
    <li className={classes.pool}>
      <div>
        <KeyText fw={500}>{name}</KeyText>
        <span className={classes.facts}>
          {formatNumber(capacity)}/s · lends below {reclaimPercent} %
        </span>
        <span className={classes.facts}>
          {operations.length === 0 ? 'All operations' : operations.join(', ')}
        </span>
        {live === null && <span className={classes.facts}>Redis is unavailable. Pool usage is unknown.</span>}
        {live?.nodes === 0 && <span className={classes.facts}>No traffic.</span>}
        {live && live.capacity < capacity && (
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

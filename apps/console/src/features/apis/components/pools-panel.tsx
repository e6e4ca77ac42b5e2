import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { KeyText } from '../../../components/key-text.js';
import { Panel } from '../../../components/page.js';
import { formatNumber } from '../../../lib/number-format.js';
import type { PoolDetail } from '../api/api.js';
import { type PoolLive, poolsLiveQuery } from '../api/pools-live.js';
import { AddPartButton, PartButtons } from './part-buttons.js';
import { PoolForm } from './pool-form.js';
import { PoolGauge } from './pool-gauge.js';
import classes from './pools.module.css';
import { Removal } from './removal.js';
import { type OpenPart, type PartsPanelProps, usePartForms } from './use-part-forms.js';

/** An API's pools of capacity, each with how it is drawn on now. */
export function PoolsPanel(props: PartsPanelProps) {
  const { api, editable } = props;
  const { open, setOpen, form } = usePartForms<PoolDetail>(props);
  const { data: live } = useQuery({ ...poolsLiveQuery(api.key), enabled: api.pools.length > 0 });
  return (
    <Panel
      title="Pools"
      note="Capacity shared by all tenants. Elastic limits borrow what is spare."
      flush
      actions={
        <AddPartButton label="Add pool" editable={editable} onClick={() => setOpen({ kind: 'add' })} />
      }
    >
      {api.pools.length === 0 ? (
        <Text c="dimmed" size="sm" p="md">
          No pools. Elastic limits need a pool to borrow from.
        </Text>
      ) : (
        <ul className={classes.pools}>
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
          {formatNumber(capacity)}/s · lends below {String(reclaimPercent)} %
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
        <div className={classes.actions}>
          <PartButtons
            editLabel={`Edit pool ${name}`}
            deleteLabel={`Delete pool ${name}`}
            onEdit={() => onOpen({ kind: 'edit', part: pool })}
            onDelete={() => onOpen({ kind: 'delete', part: pool })}
          />
        </div>
      )}
    </li>
  );
}

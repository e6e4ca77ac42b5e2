import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
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
  const t = useTranslations('apis');
  const { open, setOpen, form } = usePartForms<PoolDetail>(props);
  const { data: live } = useQuery({ ...poolsLiveQuery(api.key), enabled: api.pools.length > 0 });
  return (
    <Panel
      title={t('pools')}
      note={t('poolsNote')}
      flush
      actions={
        <AddPartButton label={t('addPool')} editable={editable} onClick={() => setOpen({ kind: 'add' })} />
      }
    >
      {api.pools.length === 0 ? (
        <Text c="dimmed" size="sm" p="md">
          {t('poolsEmpty')}
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
  const t = useTranslations('apis');
  const { name, capacity, reclaimPercent, operations } = pool;
  return (
    <li className={classes.pool}>
      <div>
        <KeyText fw={500}>{name}</KeyText>
        <span className={classes.facts}>
          {t('poolFacts', { capacity: formatNumber(capacity), percent: String(reclaimPercent) })}
        </span>
        <span className={classes.facts}>
          {operations.length === 0 ? t('poolAll') : operations.join(', ')}
        </span>
        {live === null && <span className={classes.facts}>{t('poolUnknown')}</span>}
        {live?.nodes === 0 && <span className={classes.facts}>{t('poolQuiet')}</span>}
        {live && live.capacity < capacity && (
          <span className={classes.facts}>
            {t('poolCorrected', { capacity: formatNumber(live.capacity) })}
          </span>
        )}
      </div>
      <PoolGauge pool={pool} live={live} />
      {editable && (
        <div className={classes.actions}>
          <PartButtons
            editLabel={t('editPool', { name })}
            deleteLabel={t('deletePool', { name })}
            onEdit={() => onOpen({ kind: 'edit', part: pool })}
            onDelete={() => onOpen({ kind: 'delete', part: pool })}
          />
        </div>
      )}
    </li>
  );
}

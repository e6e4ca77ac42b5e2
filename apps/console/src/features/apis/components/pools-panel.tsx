import { ActionIcon, Text } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { GatedButton } from '../../../components/gated-button.js';
import { KeyText } from '../../../components/key-text.js';
import { Panel } from '../../../components/page.js';
import { formatNumber } from '../../../lib/number-format.js';
import type { ApiDetail, PoolDetail } from '../api/api.js';
import { type PoolLive, poolsLiveQuery } from '../api/pools-live.js';
import { PoolForm } from './pool-form.js';
import { PoolGauge } from './pool-gauge.js';
import classes from './pools.module.css';
import { Removal } from './removal.js';
import type { ApiFormProps } from './review-props.js';

interface PoolsPanelProps extends Pick<ApiFormProps, 'aside' | 'onDone'> {
  api: ApiDetail;
  editable: boolean;
}

type Open = { kind: 'add' } | { kind: 'edit' | 'delete'; pool: PoolDetail };

/** An API's pools of capacity, each with how it is drawn on now. */
export function PoolsPanel({ api, editable, aside, onDone }: PoolsPanelProps) {
  const t = useTranslations('apis');
  const [open, setOpen] = useState<Open>();
  const { data: live } = useQuery({ ...poolsLiveQuery(api.key), enabled: api.pools.length > 0 });
  const form = {
    api,
    ...(aside ? { aside } : {}),
    onClose: () => setOpen(undefined),
    onDone: (title: string, changeId: string | null | undefined) => {
      setOpen(undefined);
      onDone(title, changeId);
    },
  };
  return (
    <Panel
      title={t('pools')}
      note={t('poolsNote')}
      flush
      actions={
        <GatedButton
          permission="apis:write"
          variant="default"
          disabled={!editable}
          leftSection={<IconPlus size={15} aria-hidden />}
          onClick={() => setOpen({ kind: 'add' })}
        >
          {t('addPool')}
        </GatedButton>
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
      {open?.kind === 'edit' && <PoolForm {...form} pool={open.pool} />}
      {open?.kind === 'delete' && <Removal {...form} part={{ kind: 'pool', name: open.pool.name }} />}
    </Panel>
  );
}

interface PoolRowProps {
  pool: PoolDetail;
  live: PoolLive | undefined;
  editable: boolean;
  onOpen: (open: Open) => void;
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
          <ActionIcon aria-label={t('editPool', { name })} onClick={() => onOpen({ kind: 'edit', pool })}>
            <IconPencil size={16} stroke={1.7} aria-hidden />
          </ActionIcon>
          <ActionIcon aria-label={t('deletePool', { name })} onClick={() => onOpen({ kind: 'delete', pool })}>
            <IconTrash size={16} stroke={1.7} aria-hidden />
          </ActionIcon>
        </div>
      )}
    </li>
  );
}

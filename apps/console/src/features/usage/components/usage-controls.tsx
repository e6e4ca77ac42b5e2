import { Button, SegmentedControl, Select } from '@mantine/core';
import { IconX, IconZoomOut } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { formatAt } from '../usage-time.js';
import {
  stepOf,
  stepsFor,
  USAGE_GROUPS,
  USAGE_RANGES,
  type UsageGroupName,
  type UsageRangeName,
  type UsageStep,
  type UsageView,
  withRange,
} from '../usage-view.js';
import classes from './usage.module.css';

interface UsageControlsProps {
  view: UsageView;
  onView: (view: UsageView) => void;
  timeZone: string;
  onZoomOut: () => void;
}

/** What the chart shows: stretch, step, what is told apart, and in what it is counted. */
export function UsageControls({ view, onView, timeZone, onZoomOut }: UsageControlsProps) {
  const t = useTranslations('usage');
  const { from, to } = view;
  return (
    <div className={classes.controls}>
      <SegmentedControl
        aria-label={t('rangeLabel')}
        size="xs"
        data={USAGE_RANGES.map((range) => ({ value: range, label: t(`ranges.${range}`) }))}
        value={from ? '' : (view.range ?? '24h')}
        onChange={(range) => onView(withRange(view, range as UsageRangeName))}
      />
      <Select
        aria-label={t('stepLabel')}
        size="xs"
        w={116}
        data={stepsFor(view).map((step) => ({ value: step, label: t(`steps.${step}`) }))}
        value={stepOf(view)}
        onChange={(step) => onView({ ...view, step: step as UsageStep })}
        allowDeselect={false}
      />
      <Select
        aria-label={t('byLabel')}
        size="xs"
        w={176}
        data={[
          { value: '', label: t('by.nothing') },
          ...USAGE_GROUPS.map((group) => ({ value: group, label: t(`by.${group}`) })),
        ]}
        value={view.by ?? ''}
        onChange={(by) => onView(withGroup(view, (by || undefined) as UsageGroupName | undefined))}
        allowDeselect={false}
      />
      <Select
        aria-label={t('unitLabel')}
        size="xs"
        w={130}
        data={[
          { value: 'decisions', label: t('units.decisions') },
          { value: 'units', label: t('units.units') },
        ]}
        value={view.unit ?? 'decisions'}
        onChange={(unit) => onView(withUnit(view, unit === 'units'))}
        allowDeselect={false}
      />
      {from && to && (
        <Button
          variant="light"
          leftSection={<IconZoomOut size={15} aria-hidden />}
          onClick={onZoomOut}
          title={t('zoomOut')}
        >
          {t('customRange', {
            from: formatAt(Date.parse(from), timeZone, 'moment'),
            to: formatAt(Date.parse(to), timeZone, 'moment'),
          })}
        </Button>
      )}
      <Filters view={view} onView={onView} />
    </div>
  );
}

/** What the view is narrowed to, each with the way out of it. */
function Filters({ view, onView }: Pick<UsageControlsProps, 'view' | 'onView'>) {
  const t = useTranslations('usage');
  const { api, operation, limit } = view;
  const active = [
    ...(api ? [{ key: 'api', label: t('filterApi', { name: api }) } as const] : []),
    ...(operation ? [{ key: 'operation', label: t('filterOperation', { name: operation }) } as const] : []),
    ...(limit ? [{ key: 'limit', label: t('filterLimit', { name: limit }) } as const] : []),
  ];
  return active.map(({ key, label }) => (
    <Button
      key={key}
      variant="default"
      rightSection={<IconX size={13} aria-hidden />}
      aria-label={t('removeFilter', { name: label })}
      onClick={() => onView(withoutFilter(view, key))}
    >
      {label}
    </Button>
  ));
}

function withGroup({ by: _, ...view }: UsageView, by: UsageGroupName | undefined): UsageView {
  return by ? { ...view, by } : view;
}

function withUnit({ unit: _, ...view }: UsageView, inUnits: boolean): UsageView {
  return inUnits ? { ...view, unit: 'units' } : view;
}

/** Without the API there is no sense in an operation or limit of it. */
function withoutFilter(view: UsageView, key: 'api' | 'operation' | 'limit'): UsageView {
  const { api, operation, limit, ...rest } = view;
  if (key === 'api') return rest;
  return {
    ...rest,
    ...(api ? { api } : {}),
    ...(operation && key !== 'operation' ? { operation } : {}),
    ...(limit && key !== 'limit' ? { limit } : {}),
  };
}

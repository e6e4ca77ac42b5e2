import { Button, SegmentedControl, Select } from '@mantine/core';
import { IconX, IconZoomOut } from '@tabler/icons-react';
import classes from './usage.module.css';
import { formatAt } from './usage-lines.js';
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
} from './usage-view.js';

const RANGE_TEXT = {
  '12mo': '12 mo',
  '1h': '1 h',
  '24h': '24 h',
  '30d': '30 d',
  '7d': '7 d',
} as const;

const BY_STEP_TEXT = { day: 'By day', hour: 'By hour', minute: 'By minute', month: 'By month' } as const;

const GROUP_TEXT = {
  api: 'By API',
  limit: 'By limit',
  operation: 'By operation',
  outcome: 'By outcome',
} as const;

interface UsageControlsProps {
  view: UsageView;
  onView: (view: UsageView) => void;
  timeZone: string;
  onZoomOut: () => void;
}

/** Time range, interval, grouping and measure. */
export function UsageControls({ view, onView, timeZone, onZoomOut }: UsageControlsProps) {
  const { from, to } = view;
  return (
    <div className={classes.controls}>
      <SegmentedControl
        aria-label="Time range"
        size="xs"
        data={USAGE_RANGES.map((range) => ({ value: range, label: RANGE_TEXT[range] }))}
        value={from ? '' : (view.range ?? '24h')}
        onChange={(range) => onView(withRange(view, range as UsageRangeName))}
      />
      <Select
        aria-label="Interval"
        size="xs"
        w={116}
        data={stepsFor(view).map((step) => ({ value: step, label: BY_STEP_TEXT[step] }))}
        value={stepOf(view)}
        onChange={(step) => onView({ ...view, step: step as UsageStep })}
        allowDeselect={false}
      />
      <Select
        aria-label="Group by"
        size="xs"
        w={176}
        data={[
          { value: '', label: 'By result' },
          ...USAGE_GROUPS.map((group) => ({ value: group, label: GROUP_TEXT[group] })),
        ]}
        value={view.by ?? ''}
        onChange={(by) => onView(withGroup(view, (by || undefined) as UsageGroupName | undefined))}
        allowDeselect={false}
      />
      <Select
        aria-label="Measure"
        size="xs"
        w={130}
        data={[
          { value: 'decisions', label: 'Decisions' },
          { value: 'units', label: 'Cost units' },
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
          title="Zoom out"
        >
          {formatAt(Date.parse(from), timeZone, 'moment')} – {formatAt(Date.parse(to), timeZone, 'moment')}
        </Button>
      )}
      <Filters view={view} onView={onView} />
    </div>
  );
}

/** Active filters with remove buttons. */
function Filters({ view, onView }: Pick<UsageControlsProps, 'view' | 'onView'>) {
  const { api, operation, limit } = view;
  const active = [
    ...(api ? [{ key: 'api', label: `API ${api}` } as const] : []),
    ...(operation ? [{ key: 'operation', label: `operation ${operation}` } as const] : []),
    ...(limit ? [{ key: 'limit', label: `decided by ${limit}` } as const] : []),
  ];
  return active.map(({ key, label }) => (
    <Button
      key={key}
      variant="default"
      rightSection={<IconX size={13} aria-hidden />}
      aria-label={`Remove filter: ${label}`}
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

import { Button, SegmentedControl, Select } from '@mantine/core';
import { IconX, IconZoomOut } from '@tabler/icons-react';
import { useLimitTitle } from '../../lib/customer-page.js';
import { formatAt } from './usage-lines.js';
import {
  filtersOf,
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
    <div className="tg-filters">
      <SegmentedControl
        aria-label="Time range"
        size="xs"
        data={USAGE_RANGES.map((range) => ({ value: range, label: range.replace(/(\d)([a-z])/, '$1 $2') }))}
        value={from ? '' : (view.range ?? '24h')}
        onChange={(range) => onView(withRange(view, range as UsageRangeName))}
      />
      <Select
        aria-label="Interval"
        size="xs"
        w={116}
        data={stepsFor(view).map((step) => ({ value: step, label: `By ${step}` }))}
        value={stepOf(view)}
        onChange={(step) => onView({ ...view, step: step as UsageStep })}
      />
      <Select
        aria-label="Group by"
        size="xs"
        w={176}
        data={[
          { value: '', label: 'By result' },
          ...USAGE_GROUPS.map((group) => ({
            value: group,
            label: group === 'api' ? 'By API' : `By ${group}`,
          })),
        ]}
        value={view.by ?? ''}
        onChange={(by) => onView(withGroup(view, (by || undefined) as UsageGroupName | undefined))}
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
  return filtersOf(view, useLimitTitle()).map(({ key, label }) => (
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

/** Removing the API also removes the filters for its operations and limits. */
function withoutFilter(view: UsageView, key: 'api' | 'operation' | 'limit'): UsageView {
  const removed: string[] = key === 'api' ? ['api', 'operation', 'limit'] : [key];
  return Object.fromEntries(Object.entries(view).filter(([name]) => !removed.includes(name)));
}

import { Text } from '@mantine/core';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { type DecisionWindow, refusedMost } from '../decision-window.js';
import { RefusedRanks } from './refused-ranks.js';

const SHOWN = 6;

interface LimitedNowProps {
  window: DecisionWindow;
  endSecond: number;
  connecting: boolean;
}

/** Who is refused right now, most first; each leads to the tenant. */
export function LimitedNow({ window, endSecond, connecting }: LimitedNowProps) {
  const tenants = refusedMost(window, endSecond).slice(0, SHOWN);
  return (
    <Panel title="Rate limited now" note="denied in the last minute" flush>
      {connecting && <RowsSkeleton rows={4} />}
      {!connecting && tenants.length === 0 && (
        <Text c="dimmed" size="sm" p="md">
          No denied requests.
        </Text>
      )}
      {tenants.length > 0 && <RefusedRanks tenants={tenants} />}
    </Panel>
  );
}

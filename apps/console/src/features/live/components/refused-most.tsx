import { Text } from '@mantine/core';
import { LinkAnchor } from '../../../components/link.js';
import { Panel } from '../../../components/page.js';
import { type DecisionWindow, refusedMost } from '../decision-window.js';
import { RefusedRanks } from './refused-ranks.js';

const SHOWN = 8;

/** The tenants that were refused most in the last minute; each leads to its page. */
export function RefusedMost({ window, endSecond }: { window: DecisionWindow; endSecond: number }) {
  const tenants = refusedMost(window, endSecond).slice(0, SHOWN);
  return (
    <Panel title="Most denied" note="tenants, last 60 seconds" flush>
      {tenants.length === 0 ? (
        <Text c="dimmed" size="sm" p="md">
          No denied requests.
        </Text>
      ) : (
        <RefusedRanks tenants={tenants} aside={(tenant) => <WhyLink tenant={tenant} />} />
      )}
    </Panel>
  );
}

function WhyLink({ tenant }: { tenant: string }) {
  return (
    <>
      <LinkAnchor to="/why" search={{ q: tenant }} c="dimmed" aria-label={`Why ${tenant} is denied`}>
        Why?
      </LinkAnchor>{' '}
    </>
  );
}

import { IconBuilding, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/empty-state.js';
import { LinkAnchor } from '../../components/link.js';
import { Page, Panel } from '../../components/page.js';
import classes from '../../features/portal/components/portal.module.css';
import { MEMBER_ROLE_TEXT } from '../../lib/labels.js';
import { viewerQuery } from '../../lib/viewer.js';

/** Which portal to go to, for people of several tenants or of none. */
export function PortalsPage() {
  const { data: viewer } = useQuery(viewerQuery);
  return (
    <Page title="Your organisations" description="Each has its own limits, keys and receipts.">
      <Panel flush>
        {viewer?.memberships.length === 0 && (
          <EmptyState
            icon={<IconBuilding size={30} stroke={1.5} aria-hidden />}
            title="You have no organisations yet"
          >
            Ask an owner to invite you by email.
          </EmptyState>
        )}
        <ul className={classes.choices}>
          {viewer?.memberships.map(({ tenantKey, role }) => (
            <li key={tenantKey}>
              <LinkAnchor to="/portal/$tenantKey" params={{ tenantKey }} underline="never">
                {tenantKey}
                <span className={classes.kind}>
                  {MEMBER_ROLE_TEXT[role]} <IconChevronRight size={14} aria-hidden />
                </span>
              </LinkAnchor>
            </li>
          ))}
        </ul>
      </Panel>
    </Page>
  );
}

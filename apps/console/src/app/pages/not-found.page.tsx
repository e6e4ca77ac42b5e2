import { IconLock, IconMapQuestion } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LinkButton } from '../../components/links.js';
import { EmptyState, Page } from '../../components/page.js';
import { viewerQuery } from '../../lib/viewer.js';

export function NotFoundPage() {
  return (
    <Missing>
      <LinkButton to="/" variant="default">
        Back to Home
      </LinkButton>
    </Missing>
  );
}

/** An unknown page of a portal, or the portal of an organization that the viewer does not belong to. */
export function PortalNotFoundPage() {
  const { tenantKey = '' } = useParams({ strict: false });
  const { data: viewer } = useQuery(viewerQuery);
  const isMember = viewer?.memberships.some((membership) => membership.tenantKey === tenantKey);
  if (viewer?.role != null || isMember) {
    return (
      <Missing>
        <LinkButton to="/portal/$tenantKey" params={{ tenantKey }} variant="default">
          Back to overview
        </LinkButton>
      </Missing>
    );
  }
  return (
    <Page title="No access">
      <EmptyState
        icon={IconLock}
        title={`You have no access to ${tenantKey}`}
        action={
          <LinkButton to="/portal" variant="default">
            Your organizations
          </LinkButton>
        }
      >
        You are signed in as {viewer?.email}. Ask an owner of the organization to invite this address, or sign
        in with another account.
      </EmptyState>
    </Page>
  );
}

/** `children`: the way back. */
function Missing({ children }: { children: ReactNode }) {
  return (
    <Page title="Page not found">
      <EmptyState icon={IconMapQuestion} title="This page does not exist" action={children}>
        It may have been renamed. Use the navigation to find it.
      </EmptyState>
    </Page>
  );
}

import { Alert } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { LinkAnchor } from '../../components/link.js';
import { viewerQuery } from '../../lib/viewer.js';
import { Frame } from './frame.js';
import { PortalNavigation } from './portal-navigation.js';

/** A tenant's own pages. */
export function PortalShell() {
  const { tenantKey } = useParams({ from: '/portal/$tenantKey' });
  const home = { to: '/portal/$tenantKey', params: { tenantKey } } as const;
  return (
    <Frame
      home={home}
      banner={<ViewingAs tenantKey={tenantKey} />}
      navigation={(onNavigate) => <PortalNavigation tenantKey={tenantKey} onNavigate={onNavigate} />}
    />
  );
}

/** Says so to operators, whose rights are others than those of the tenant's people. */
function ViewingAs({ tenantKey }: { tenantKey: string }) {
  const { data: viewer } = useQuery(viewerQuery);
  if (!viewer || viewer.memberships.some((membership) => membership.tenantKey === tenantKey)) return null;
  return (
    <Alert color="ochre" radius={0} icon={<IconEye size={18} aria-hidden />}>
      You are viewing the portal of {tenantKey}.{' '}
      <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }}>
        Back to console
      </LinkAnchor>
    </Alert>
  );
}

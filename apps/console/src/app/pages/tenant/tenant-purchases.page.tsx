import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Failure } from '../../../components/failure.js';
import { LinkAnchor } from '../../../components/link.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { EntitlementsPanel } from '../../../features/adjustments/components/entitlements-panel.js';
import { followChange } from '../../../features/nodes/components/follow-change.js';
import { purchasesQuery } from '../../../features/purchases/api/purchases.js';
import { PurchasesTable } from '../../../features/purchases/components/purchases-table.js';
import { toAdjustmentTenant, useTenant } from './use-tenant.js';

/** What a tenant bought, and what it was given. */
export function TenantPurchasesPage() {
  const tenant = useTenant();
  if (!tenant) return null;
  return (
    <>
      <Purchases tenantKey={tenant.key} />
      <EntitlementsPanel tenant={toAdjustmentTenant(tenant)} onChanged={followChange} />
    </>
  );
}

function Purchases({ tenantKey }: { tenantKey: string }) {
  const { data, error, refetch } = useInfiniteQuery(purchasesQuery({ tenantKey }));
  const purchases = data?.pages.flatMap(({ nodes }) => nodes);
  return (
    <Panel title="Purchases" flush>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <RowsSkeleton rows={3} />}
      {purchases?.length === 0 && (
        <Text size="sm" c="dimmed" p="md">
          No purchases yet.
        </Text>
      )}
      {purchases && purchases.length > 0 && (
        <PurchasesTable
          purchases={purchases}
          nameOf={({ id, label }) => (
            <LinkAnchor to="/purchases/$purchaseId" params={{ purchaseId: id }}>
              {label}
            </LinkAnchor>
          )}
        />
      )}
    </Panel>
  );
}

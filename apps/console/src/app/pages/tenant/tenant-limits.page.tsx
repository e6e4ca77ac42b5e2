import { useState } from 'react';
import { GatedButton } from '../../../components/gated-button.js';
import type { AdjustmentMaking } from '../../../features/adjustments/adjustment-draft.js';
import { AdjustmentDialog } from '../../../features/adjustments/components/adjustment-dialog.js';
import { followChange } from '../../../features/nodes/components/follow-change.js';
import { EffectiveLimits } from '../../../features/tenants/components/effective-limits.js';
import { toAdjustmentTenant, useTenant } from './use-tenant.js';

interface Asked {
  making: AdjustmentMaking;
  target: { apiKey: string; limit: string };
}

/** What applies to a tenant now, how it came about, and what can be done about it. */
export function TenantLimitsPage() {
  const tenant = useTenant();
  const [asked, setAsked] = useState<Asked>();
  if (!tenant) return null;
  return (
    <>
      <EffectiveLimits
        tenant={tenant}
        actionsFor={({ limit: { policy } }) => {
          const target = { apiKey: policy.api, limit: policy.name };
          return (
            <>
              <GatedButton
                permission="boosts:write"
                variant="default"
                size="compact-sm"
                onClick={() => setAsked({ making: 'boost', target })}
              >
                Boost
              </GatedButton>
              <GatedButton
                permission="overrides:write"
                variant="default"
                size="compact-sm"
                onClick={() => setAsked({ making: 'override', target })}
              >
                Override
              </GatedButton>
            </>
          );
        }}
      />
      {asked && (
        <AdjustmentDialog
          {...asked}
          tenant={toAdjustmentTenant(tenant)}
          onClose={() => setAsked(undefined)}
          onMade={(changeId, title) => {
            setAsked(undefined);
            if (changeId) followChange(changeId, title);
          }}
        />
      )}
    </>
  );
}

import { Button, Menu, Text } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import dayjs from 'dayjs';
import { useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { Hint } from '../../components/page.js';
import { usePageZone } from '../../lib/customer-page.js';
import { notifyDone } from '../../lib/graphql-request.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { formatMomentInZone } from '../../lib/time-format.js';
import { usePermission } from '../../lib/viewer.js';
import { billingTimeQuery, paymentProvidersQuery, TestClockAdvanceDocument } from './api.js';

const STEPS = ['day', 'week', 'month', 'year'] as const;

/** A tenant's billing time, if it has a test clock; operators can advance it if payments are tests. */
export function BillingClock({ tenantKey }: { tenantKey: string }) {
  const timeZone = usePageZone();
  const maySee = usePermission('purchases:read', tenantKey).allowed;
  const mayAdvance = usePermission('payments:write').allowed;
  const { data: clock } = useQuery({ ...billingTimeQuery(tenantKey), enabled: maySee });
  const { data: providers } = useQuery(paymentProvidersQuery);
  const [to, setTo] = useState<string>();
  const canAdvance = mayAdvance && providers?.includes('TEST') === true;
  if (!clock || !(clock.isTest || canAdvance)) return null;
  return (
    <div style={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '4px 10px' }}>
      <IconClock size={16} aria-hidden color="var(--tg-text-soft)" />
      <Hint>
        Billing time: {formatMomentInZone(clock.now, timeZone)}
        {clock.isTest && ', test clock, advanced by hand'}
      </Hint>
      {canAdvance && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default">Advance</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>Advance billing time</Menu.Label>
            {STEPS.map((step) => (
              <Menu.Item key={step} onClick={() => setTo(dayjs(clock.now).add(1, step).toISOString())}>
                1 {step}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {to && <AdvanceDialog tenantKey={tenantKey} to={to} onClose={() => setTo(undefined)} />}
    </div>
  );
}

interface AdvanceDialogProps {
  tenantKey: string;
  to: string;
  onClose: () => void;
}

function AdvanceDialog({ tenantKey, to, onClose }: AdvanceDialogProps) {
  const { dialog } = useMutationDialog(TestClockAdvanceDocument, []);
  const at = formatMomentInZone(to, usePageZone());
  const advance = dialog({ tenantKey, to }, () => {
    notifyDone(`Billing time is now ${at}`);
    onClose();
  });
  return (
    <CreateModal
      title={`Advance the billing time of ${tenantKey} to ${at}?`}
      submitLabel="Advance"
      onClose={onClose}
      {...advance}
    >
      <Text size="sm">
        Renewals, grace periods and expiries due until then happen at once. The tenant then uses a test clock,
        which cannot go back.
      </Text>
    </CreateModal>
  );
}

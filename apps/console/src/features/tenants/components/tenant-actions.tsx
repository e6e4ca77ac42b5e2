import { Select, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { GatedButton } from '../../../components/gated-button.js';
import { errorsByField } from '../../../lib/user-errors.js';
import type { TenantDetail } from '../api/tenant.js';
import { useTenantChange } from '../api/tenant-change.js';
import { tierChoicesQuery } from '../api/tier-choices.js';

interface TenantActionsProps {
  tenant: TenantDetail;
  /** Called with the change to follow and what it was. */
  onChanged: (changeId: string, title: string) => void;
}

/** What can be done to a tenant: another tier, suspend, resume. Each asks first. */
export function TenantActions({ tenant, onChanged }: TenantActionsProps) {
  const [asking, setAsking] = useState<'tier' | 'status'>();
  const suspended = tenant.status === 'SUSPENDED';
  return (
    <>
      <GatedButton permission="subscriptions:write" variant="default" onClick={() => setAsking('tier')}>
        Change tier
      </GatedButton>
      <GatedButton
        permission="tenants:write"
        variant={suspended ? 'filled' : 'default'}
        onClick={() => setAsking('status')}
      >
        {suspended ? 'Resume' : 'Suspend'}
      </GatedButton>
      {asking === 'tier' && (
        <TierDialog tenant={tenant} onClose={() => setAsking(undefined)} onChanged={onChanged} />
      )}
      {asking === 'status' && (
        <StatusDialog tenant={tenant} onClose={() => setAsking(undefined)} onChanged={onChanged} />
      )}
    </>
  );
}

interface DialogProps extends TenantActionsProps {
  onClose: () => void;
}

function TierDialog({ tenant, onClose, onChanged }: DialogProps) {
  const { data: tiers } = useQuery(tierChoicesQuery);
  const [tierKey, setTierKey] = useState<string | null>(null);
  const name = tiers?.find(({ key }) => key === tierKey)?.name ?? tierKey;
  return (
    <ChangeDialog
      tenant={tenant}
      title={`Change the tier of ${tenant.name}`}
      submitLabel="Change tier"
      change={tierKey === null ? undefined : { kind: 'tier', tierKey }}
      onClose={onClose}
      onChanged={(changeId) => onChanged(changeId, `${tenant.name} moved to ${name}`)}
    >
      {(errors) => (
        <Select
          label="New tier"
          description={`Now on ${tenant.subscription.tier.name}. The new limits apply at once; what was used stays counted.`}
          data={
            tiers
              ?.filter((tier) => tier.published && tier.key !== tenant.subscription.tier.key)
              .map((tier) => ({ value: tier.key, label: tier.name })) ?? []
          }
          value={tierKey}
          onChange={setTierKey}
          placeholder="Choose a tier"
          data-autofocus
          error={errors.tierKey}
        />
      )}
    </ChangeDialog>
  );
}

function StatusDialog({ tenant, onClose, onChanged }: DialogProps) {
  const suspended = tenant.status === 'SUSPENDED';
  return (
    <ChangeDialog
      tenant={tenant}
      title={suspended ? `Resume ${tenant.name}?` : `Suspend ${tenant.name}?`}
      submitLabel={suspended ? `Resume ${tenant.name}` : `Suspend ${tenant.name}`}
      change={{ kind: suspended ? 'resume' : 'suspend' }}
      onClose={onClose}
      onChanged={(changeId) => onChanged(changeId, `${tenant.name} ${suspended ? 'resumed' : 'suspended'}`)}
    >
      {() => (
        <Text size="sm">
          {suspended
            ? 'Its requests are decided by its tier again, within a second.'
            : 'Every request of this tenant is refused, on every node, within a second. Nothing is deleted.'}
        </Text>
      )}
    </ChangeDialog>
  );
}

interface ChangeDialogProps {
  tenant: TenantDetail;
  title: string;
  submitLabel: string;
  /** What to do; undefined while that is not chosen. */
  change: { kind: 'tier'; tierKey: string } | { kind: 'suspend' | 'resume' } | undefined;
  onClose: () => void;
  onChanged: (changeId: string) => void;
  children: (errors: Record<string, string>) => ReactNode;
}

function ChangeDialog({
  tenant,
  title,
  submitLabel,
  change,
  onClose,
  onChanged,
  children,
}: ChangeDialogProps) {
  const [reason, setReason] = useState('');
  const mutation = useTenantChange();
  const { byField, form } = errorsByField(mutation.error, ['tierKey', 'reason']);
  const submit = () => {
    if (!change) return;
    const input = {
      ...change,
      tenantKey: tenant.key,
      expectedVersion: tenant.version,
      reason: reason.trim() || null,
    };
    mutation.mutate(input, {
      onSuccess: (changeId) => {
        if (changeId) onChanged(changeId);
        onClose();
      },
    });
  };
  return (
    <CreateModal
      title={title}
      opened
      onClose={onClose}
      onSubmit={submit}
      submitLabel={submitLabel}
      pending={mutation.isPending}
      problem={form}
    >
      {children(byField)}
      <Textarea
        label="Reason"
        description="Optional. It is kept in the audit trail."
        value={reason}
        onChange={({ currentTarget: { value } }) => setReason(value)}
        maxLength={500}
        autosize
        minRows={2}
        error={byField.reason}
      />
    </CreateModal>
  );
}

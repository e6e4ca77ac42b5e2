import { Alert, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { ImpactText } from '../../components/change-review.js';
import { CreateModal } from '../../components/create-modal.js';
import { CarryOverChoice, ReasonField } from '../../components/fields.js';
import type { CarryOver } from '../../generated/graphql.js';
import { errorsByField } from '../../lib/graphql-request.js';
import type { TenantDetail } from './api.js';
import { tenantChangeCall, tierChoicesQuery, tierTrialQuery, useTenantChange } from './api.js';
import { TenantEdit } from './tenant-forms.js';

interface TenantActionsProps {
  tenant: TenantDetail;
  /** Called with the change to follow and a title. */
  onChanged: (changeId: string, title: string) => void;
}

/** Edit, change tier, suspend, resume and archive a tenant, each with a review. */
export function TenantActions({ tenant, onChanged }: TenantActionsProps) {
  const [dialog, setDialog] = useState<'edit' | 'tier' | 'status' | 'archive'>();
  const suspended = tenant.status === 'SUSPENDED';
  if (tenant.status === 'ARCHIVED') return null;
  return (
    <>
      <GatedButton permission="tenants:write" variant="default" onClick={() => setDialog('edit')}>
        Edit
      </GatedButton>
      <GatedButton permission="subscriptions:write" variant="default" onClick={() => setDialog('tier')}>
        Change tier
      </GatedButton>
      <GatedButton
        permission="tenants:write"
        variant={suspended ? 'filled' : 'default'}
        onClick={() => setDialog('status')}
      >
        {suspended ? 'Resume' : 'Suspend'}
      </GatedButton>
      <GatedButton permission="tenants:write" variant="default" onClick={() => setDialog('archive')}>
        Archive
      </GatedButton>
      {dialog === 'edit' && (
        <TenantEdit tenant={tenant} onClose={() => setDialog(undefined)} onChanged={onChanged} />
      )}
      {dialog === 'archive' && (
        <ArchiveDialog tenant={tenant} onClose={() => setDialog(undefined)} onChanged={onChanged} />
      )}
      {dialog === 'tier' && (
        <TierDialog tenant={tenant} onClose={() => setDialog(undefined)} onChanged={onChanged} />
      )}
      {dialog === 'status' && (
        <StatusDialog tenant={tenant} onClose={() => setDialog(undefined)} onChanged={onChanged} />
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
  const [carryOver, setCarryOver] = useState<CarryOver>('KEEP');
  const name = tiers?.find(({ key }) => key === tierKey)?.name ?? tierKey;
  return (
    <ChangeDialog
      tenant={tenant}
      title={`Change tier of ${tenant.name}`}
      submitLabel="Change tier"
      change={tierKey === null ? undefined : { kind: 'tier', tierKey, carryOver }}
      onClose={onClose}
      onChanged={(changeId) => onChanged(changeId, `${tenant.name} moved to ${name}`)}
    >
      {(errors) => (
        <>
          <Select
            label="New tier"
            description={`Moved to ${tenant.subscription.tier.name}. The new limits apply immediately.`}
            data={
              tiers
                ?.filter((tier) => tier.published && tier.key !== tenant.subscription.tier.key)
                .map((tier) => ({ value: tier.key, label: tier.name })) ?? []
            }
            value={tierKey}
            onChange={setTierKey}
            placeholder="Select a tier"
            data-autofocus
            error={errors.tierKey}
          />
          <CarryOverChoice label="Existing usage" value={carryOver} onChange={setCarryOver} />
          <TierTrial tenant={tenant} tierKey={tierKey} carryOver={carryOver} />
        </>
      )}
    </ChangeDialog>
  );
}

interface TierTrialProps {
  tenant: TenantDetail;
  tierKey: string | null;
  carryOver: CarryOver;
}

/** Previews a tier change: increased and decreased limits, and quotas that would be used up. */
function TierTrial({ tenant: { key, version }, tierKey, carryOver }: TierTrialProps) {
  const { data } = useQuery(tierTrialQuery({ key, version }, tierKey, carryOver));
  if (!data || data.userErrors.length > 0) return null;
  return (
    <Alert role="status" color={data.warnings.length > 0 ? 'ochre' : 'gate'}>
      <Text size="sm">
        <ImpactText impact={data.impact ?? null} />
      </Text>
      {data.warnings.map(({ apiKey, name, message }) => (
        <Text key={`${apiKey}/${name}`} size="sm">
          {message}
        </Text>
      ))}
    </Alert>
  );
}

function ArchiveDialog({ tenant, onClose, onChanged }: DialogProps) {
  const [typed, setTyped] = useState('');
  return (
    <ChangeDialog
      tenant={tenant}
      title={`Archive ${tenant.name}?`}
      submitLabel="Archive"
      change={typed === tenant.key ? { kind: 'archive' } : undefined}
      onClose={onClose}
      onChanged={(changeId) => onChanged(changeId, `${tenant.name} archived`)}
    >
      {() => (
        <>
          <Text size="sm">
            Requests fail with “unknown tenant”, its keys are revoked, and its key cannot be reused. This
            cannot be undone.
          </Text>
          <TextInput
            label={`Type ${tenant.key} to confirm`}
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
            autoComplete="off"
            data-autofocus
          />
        </>
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
            ? 'The limits of its tier apply again within a second.'
            : 'All nodes deny its requests within a second. Nothing is deleted.'}
        </Text>
      )}
    </ChangeDialog>
  );
}

interface ChangeDialogProps {
  tenant: TenantDetail;
  title: string;
  submitLabel: string;
  /** The selected change; undefined without a selection. */
  change:
    | { kind: 'tier'; tierKey: string; carryOver: CarryOver }
    | { kind: 'suspend' | 'resume' | 'archive' }
    | undefined;
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
  const { key: tenantKey, version: expectedVersion, name, timeZone } = tenant;
  const input = change && { ...change, tenantKey, expectedVersion, reason: reason.trim() || null };
  const submit = () => {
    if (!input) return;
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
      {...(input && {
        copy: {
          call: tenantChangeCall(input),
          config:
            input.kind === 'tier'
              ? { tenants: { [tenantKey]: { name, tier: input.tierKey, timeZone } } }
              : undefined,
        },
      })}
    >
      {children(byField)}
      <ReasonField value={reason} onChange={setReason} error={byField.reason} />
    </CreateModal>
  );
}

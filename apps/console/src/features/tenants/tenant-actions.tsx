import { ActionIcon, Alert, Menu, Select, Text, TextInput } from '@mantine/core';
import { IconArchive, IconBan, IconBolt, IconDots, IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { ImpactText } from '../../components/change-review.js';
import { CreateModal } from '../../components/create-modal.js';
import { CarryOverChoice, ReasonField } from '../../components/fields.js';
import type { CarryOver } from '../../generated/graphql.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { useRequestedAction } from '../../lib/requested-action.js';
import { usePermission } from '../../lib/viewer.js';
import {
  STATUS_CHANGES,
  type TenantDetail,
  TenantTierChangeDocument,
  tenantsKey,
  tierChoicesQuery,
  tierTrialQuery,
} from './api.js';
import { TenantEdit } from './tenant-forms.js';

interface TenantActionsProps {
  tenant: TenantDetail;
  /** Called with the change to follow and a title. */
  onChanged: (changeId: string, title: string) => void;
}

const DIALOGS = ['edit', 'tier', 'status', 'archive'] as const;

const MENU = [
  { opens: 'edit', label: 'Edit', Icon: IconPencil },
  { opens: 'status', label: 'Suspend', Icon: IconBan },
  { opens: 'archive', label: 'Archive', Icon: IconArchive },
] as const;

export function TenantActions({ tenant, onChanged }: TenantActionsProps) {
  const router = useRouter();
  const [dialog, setDialog] = useState<(typeof DIALOGS)[number]>();
  useRequestedAction(DIALOGS, setDialog);
  const props = { tenant, onClose: () => setDialog(undefined), onChanged };
  const { allowed } = usePermission('tenants:write');
  const suspended = tenant.status === 'SUSPENDED';
  if (tenant.status === 'ARCHIVED') return null;
  return (
    <>
      <GatedButton permission="subscriptions:write" variant="default" onClick={() => setDialog('tier')}>
        Change tier
      </GatedButton>
      {suspended ? (
        <GatedButton permission="tenants:write" onClick={() => setDialog('status')}>
          Resume
        </GatedButton>
      ) : (
        <GatedButton
          permission="boosts:write"
          leftSection={<IconBolt size={15} aria-hidden />}
          onClick={() => router.history.push(`/tenants/${tenant.key}?do=boost`)}
        >
          Boost
        </GatedButton>
      )}
      <Menu position="bottom-end" width={150}>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={`More actions for ${tenant.name}`}>
            <IconDots size={17} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {MENU.filter(({ opens }) => opens !== 'status' || !suspended).map(({ opens, label, Icon }) => (
            <Menu.Item
              key={opens}
              leftSection={<Icon size={15} aria-hidden />}
              disabled={!allowed}
              onClick={() => setDialog(opens)}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {dialog === 'edit' && <TenantEdit {...props} />}
      {dialog === 'archive' && <ArchiveDialog {...props} />}
      {dialog === 'tier' && <TierDialog {...props} />}
      {dialog === 'status' && <StatusDialog {...props} />}
    </>
  );
}

interface DialogProps extends TenantActionsProps {
  onClose: () => void;
}

function TierDialog(props: DialogProps) {
  const { tenant } = props;
  const { data: tiers } = useQuery(tierChoicesQuery);
  const [tierKey, setTierKey] = useState<string | null>(null);
  const [carryOver, setCarryOver] = useState<CarryOver>('KEEP');
  const name = tiers?.find(({ key }) => key === tierKey)?.name ?? tierKey;
  return (
    <ChangeDialog
      {...props}
      document={TenantTierChangeDocument}
      title={`Change tier of ${tenant.name}`}
      submitLabel="Change tier"
      change={tierKey === null ? undefined : { tierKey, carryOver }}
      done={`${tenant.name} moved to ${name}`}
    >
      {(errors) => (
        <>
          <Select
            label="New tier"
            description={`Currently ${tenant.subscription.tier.name}. The new limits apply immediately.`}
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
  const tenant = { tenantKey: key, expectedVersion: version };
  const { data } = useQuery(tierTrialQuery(tenant, tierKey, carryOver));
  if (!data || data.userErrors.length > 0) return null;
  return (
    <Alert role="status" color={data.warnings.length > 0 ? 'ochre' : 'gate'}>
      <Text size="sm">
        <ImpactText impact={data.impact} />
      </Text>
      {data.warnings.map(({ apiKey, name, message }) => (
        <Text key={`${apiKey}/${name}`} size="sm">
          {message}
        </Text>
      ))}
    </Alert>
  );
}

function ArchiveDialog(props: DialogProps) {
  const { tenant } = props;
  const [typed, setTyped] = useState('');
  return (
    <ChangeDialog
      {...props}
      document={STATUS_CHANGES.archive}
      title={`Archive ${tenant.name}?`}
      submitLabel="Archive"
      change={typed === tenant.key ? {} : undefined}
      done={`${tenant.name} archived`}
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

function StatusDialog(props: DialogProps) {
  const { name, status } = props.tenant;
  const suspended = status === 'SUSPENDED';
  const label = `${suspended ? 'Resume' : 'Suspend'} ${name}`;
  return (
    <ChangeDialog
      {...props}
      document={suspended ? STATUS_CHANGES.resume : STATUS_CHANGES.suspend}
      title={`${label}?`}
      submitLabel={label}
      change={{}}
      done={`${name} ${suspended ? 'resumed' : 'suspended'}`}
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

interface ChangeDialogProps extends DialogProps {
  document: (typeof STATUS_CHANGES)[keyof typeof STATUS_CHANGES] | typeof TenantTierChangeDocument;
  title: string;
  submitLabel: string;
  /** Input besides tenant and reason; undefined while something is missing. */
  change: { tierKey?: string; carryOver?: CarryOver } | undefined;
  done: string;
  children: (errors: Record<string, string>) => ReactNode;
}

function ChangeDialog(props: ChangeDialogProps) {
  const { tenant, document, title, submitLabel, change, done, onClose, onChanged, children } = props;
  const [reason, setReason] = useState('');
  const { errors, dialog } = useMutationDialog(document, ['tierKey', 'reason'], tenantsKey);
  const { key: tenantKey, version: expectedVersion, name, timeZone } = tenant;
  const input = change && { ...change, tenantKey, expectedVersion, reason: reason.trim() || null };
  const config = change?.tierKey && { tenants: { [tenantKey]: { name, tier: change.tierKey, timeZone } } };
  const onDone = ({ changeId }: { changeId: string | null }) => {
    if (changeId) onChanged(changeId, done);
    onClose();
  };
  return (
    <CreateModal
      title={title}
      submitLabel={submitLabel}
      onClose={onClose}
      {...dialog(input, onDone, config || undefined)}
    >
      {children(errors)}
      <ReasonField value={reason} onChange={setReason} error={errors.reason} />
    </CreateModal>
  );
}

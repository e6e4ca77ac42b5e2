import { NumberInput, Select, TagsInput, TextInput } from '@mantine/core';
import { ChangeReview } from '../../../components/change-review.js';
import { useEditForm } from '../../../lib/form.js';
import { listTimeZones } from '../../../lib/time-format.js';
import type { TenantDetail } from '../api/tenant.js';
import { useTenantUpdate } from '../api/tenant-update.js';

interface TenantEditProps {
  tenant: TenantDetail;
  onClose: () => void;
  onChanged: (changeId: string, title: string) => void;
}

/** A tenant's name, time zone, billing day and tags. */
export function TenantEdit({ tenant, onClose, onChanged }: TenantEditProps) {
  const update = useTenantUpdate();
  const { name, timeZone, billingAnchorDay, tags } = tenant;
  const { values, set, changed, unchanged, byField, told } = useEditForm({
    name,
    timeZone,
    billingAnchorDay,
    tags,
  });
  const input = { tenantKey: tenant.key, expectedVersion: tenant.version, ...changed };
  return (
    <ChangeReview
      title={`Edit ${tenant.name}`}
      permission="tenants:write"
      call={{ mutation: 'tenantUpdate', inputType: 'TenantUpdateInput', input }}
      config={{
        tenants: { [tenant.key]: { name: values.name, tier: tenant.subscription.tier.key, ...changed } },
      }}
      incomplete={unchanged}
      send={({ reason, dryRun }) => update({ ...input, reason, dryRun })}
      {...told}
      onClose={onClose}
      onApplied={({ changeId }) => {
        onClose();
        if (changeId) onChanged(changeId, `${values.name} updated`);
      }}
    >
      <TextInput
        label="Name"
        value={values.name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        error={byField.name}
        data-autofocus
      />
      <Select
        label="Time zone"
        description="Days, months and calendar quotas start in this time zone."
        data={listTimeZones()}
        value={values.timeZone}
        onChange={(zone) => zone && set({ timeZone: zone })}
        searchable
        limit={60}
        allowDeselect={false}
        error={byField.timeZone}
      />
      <NumberInput
        label="Billing day"
        description="Day of the month when the billing period starts; the last day in shorter months."
        value={values.billingAnchorDay}
        onChange={(day) => set({ billingAnchorDay: Number(day) || 1 })}
        allowDecimal={false}
        min={1}
        max={31}
        error={byField.billingAnchorDay}
      />
      <TagsInput
        label="Tags"
        description="Labels for search and rollouts. Up to 20."
        value={values.tags}
        onChange={(value) => set({ tags: value })}
        error={byField.tags}
      />
    </ChangeReview>
  );
}

import { NumberInput, Select, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ChangeReview } from '../../components/change-review.js';
import { CreateModal } from '../../components/create-modal.js';
import { NameAndKey } from '../../components/fields.js';
import { useEditForm } from '../../lib/form.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { listTimeZones } from '../../lib/time-format.js';
import { type TenantDetail, tierChoicesQuery, useTenantCreate, useTenantUpdate } from './api.js';

interface TenantCreateProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (created: { key: string; changeId: string | undefined }) => void;
}

/** A new tenant on a published tier. */
export function TenantCreate({ opened, onClose, onCreated }: TenantCreateProps) {
  const { data: tiers } = useQuery(tierChoicesQuery);
  const [values, setValues] = useState({ name: '', key: '', tierKey: '', timeZone: 'UTC' });
  const create = useTenantCreate();
  const { byField, form } = errorsByField(create.error, ['name', 'key', 'tierKey', 'timeZone']);
  const published = tiers?.filter((tier) => tier.published) ?? [];
  const tierKey = values.tierKey || (published[0]?.key ?? '');
  const submit = () => {
    create.mutate({ ...values, tierKey }, { onSuccess: onCreated });
  };
  return (
    <CreateModal
      title="Create tenant"
      opened={opened}
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Create tenant"
      pending={create.isPending}
      problem={form}
      copy={{
        call: { mutation: 'tenantCreate', inputType: 'TenantCreateInput', input: { ...values, tierKey } },
        config: {
          tenants: { [values.key]: { name: values.name, tier: tierKey, timeZone: values.timeZone } },
        },
      }}
    >
      <NameAndKey
        value={values}
        onChange={(change) => setValues({ ...values, ...change })}
        errors={byField}
        keyHint="Services send it as “tenant” with each request. It cannot be changed later."
      />
      <Select
        label="Tier"
        data={published.map(({ key, name }) => ({ value: key, label: name }))}
        value={tierKey || null}
        onChange={(key) => key && setValues({ ...values, tierKey: key })}
        allowDeselect={false}
        nothingFoundMessage="Publish a tier first"
        error={byField.tierKey}
      />
      <Select
        label="Time zone"
        data={listTimeZones()}
        value={values.timeZone}
        onChange={(timeZone) => timeZone && setValues({ ...values, timeZone })}
        searchable
        limit={60}
        allowDeselect={false}
        error={byField.timeZone}
      />
    </CreateModal>
  );
}

interface TenantEditProps {
  tenant: TenantDetail;
  onClose: () => void;
  onChanged: (changeId: string, title: string) => void;
}

/** A tenant's name, time zone, billing day and tags. */
export function TenantEdit({ tenant, onClose, onChanged }: TenantEditProps) {
  const update = useTenantUpdate();
  const { name, timeZone, billingAnchorDay, tags } = tenant;
  const { values, set, changed, unchanged, byField, review } = useEditForm({
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
      {...review}
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

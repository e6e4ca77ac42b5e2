import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { NameAndKey } from '../../../components/fields.js';
import { errorsByField } from '../../../lib/graphql-request.js';
import { listTimeZones } from '../../../lib/time-format.js';
import { useTenantCreate } from '../api/tenant-create.js';
import { tierChoicesQuery } from '../api/tier-choices.js';

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

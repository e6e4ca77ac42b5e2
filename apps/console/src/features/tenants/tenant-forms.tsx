import { Checkbox, Select, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ChangeReview } from '../../components/change-review.js';
import { CreateModal } from '../../components/create-modal.js';
import { NameAndKey } from '../../components/fields.js';
import { TenantSelect } from '../../components/tenant-select.js';
import { TypedField, wholeNumbers } from '../../components/typed-field.js';
import { useEditForm, useFields } from '../../lib/form.js';
import { useMutationDialog, useReviewedMutation } from '../../lib/mutation.js';
import { usePermission } from '../../lib/viewer.js';
import {
  TenantCreateDocument,
  type TenantDetail,
  TenantUpdateDocument,
  tenantsKey,
  tierChoicesQuery,
} from './api.js';
import { TimeZoneSelect } from './time-zone-select.js';

interface TenantCreateProps {
  /** The tier to start with. */
  tierKey?: string;
  /** The parent to start with. */
  parentKey?: string;
  onClose: () => void;
  onCreated: (created: {
    key: string;
    changeId: string | null;
    /** Name of the API key to create for the tenant; undefined: none. */
    apiKeyName: string | undefined;
  }) => void;
}

export function TenantCreate({
  tierKey: startTier = '',
  parentKey: startParent = '',
  onClose,
  onCreated,
}: TenantCreateProps) {
  const { allowed: mayIssueKeys } = usePermission('api-keys:write');
  const { allowed: mayAddChildren } = usePermission('subscriptions:write');
  const [apiKeyName, setApiKeyName] = useState<string>();
  const { data: tiers } = useQuery(tierChoicesQuery);
  const fields = ['name', 'key', 'tierKey', 'timeZone', 'parentKey'];
  const { errors, dialog } = useMutationDialog(TenantCreateDocument, fields, tenantsKey);
  const [parentKey, setParentKey] = useState(startParent);
  const { values, set, bind } = useFields(errors, {
    name: '',
    key: '',
    tierKey: startTier,
    timeZone: 'UTC',
  });
  const published = tiers?.filter((tier) => tier.published) ?? [];
  const input = {
    ...values,
    tierKey: values.tierKey || (published[0]?.key ?? ''),
    ...(parentKey === '' ? {} : { parentKey }),
  };
  const { name, key, tierKey, timeZone } = input;
  return (
    <CreateModal
      title="Create tenant"
      submitLabel="Create tenant"
      onClose={onClose}
      {...dialog(
        input,
        ({ tenant, changeId }) =>
          onCreated({ key: tenant?.key ?? key, changeId, apiKeyName: apiKeyName?.trim() || undefined }),
        {
          tenants: {
            [key]: { name, ...(parentKey === '' ? {} : { parent: parentKey }), tier: tierKey, timeZone },
          },
        },
      )}
    >
      <NameAndKey
        value={values}
        onChange={set}
        errors={errors}
        keyHint="Services send it as “tenant” with each request. It cannot be changed later."
      />
      <Select
        label="Tier"
        data={published.map((tier) => ({ value: tier.key, label: tier.name }))}
        nothingFoundMessage="Publish a tier first"
        {...bind('tierKey')}
        value={tierKey || null}
      />
      <TimeZoneSelect {...bind('timeZone')} />
      {mayAddChildren && (
        <TenantSelect
          label="Parent tenant"
          description="Requests also count on the limits that the parent shares. It cannot be changed later."
          value={parentKey}
          onChange={setParentKey}
          error={errors.parentKey}
          parents
          optional
        />
      )}
      {mayIssueKeys && (
        <Checkbox
          label="Create an API key"
          description="Shown once after the tenant is created."
          checked={apiKeyName !== undefined}
          onChange={(event) => setApiKeyName(event.currentTarget.checked ? 'production' : undefined)}
        />
      )}
      {apiKeyName !== undefined && (
        <TextInput
          label="API key name"
          value={apiKeyName}
          onChange={(event) => setApiKeyName(event.currentTarget.value)}
          maxLength={80}
        />
      )}
    </CreateModal>
  );
}

interface TenantEditProps {
  tenant: TenantDetail;
  onClose: () => void;
  onChanged: (changeId: string, title: string) => void;
}

export function TenantEdit({ tenant, onClose, onChanged }: TenantEditProps) {
  const { name, timeZone, billingAnchorDay, tags } = tenant;
  const original = { name, timeZone, billingAnchorDay, tags };
  const { values, bind, changed, unchanged, review } = useEditForm(original);
  const input = { tenantKey: tenant.key, expectedVersion: tenant.version, ...changed };
  const update = useReviewedMutation(TenantUpdateDocument, input, tenantsKey);
  return (
    <ChangeReview
      title={`Edit ${tenant.name}`}
      permission="tenants:write"
      {...update}
      config={{
        tenants: { [tenant.key]: { name: values.name, tier: tenant.subscription.tier.key, ...changed } },
      }}
      incomplete={unchanged}
      {...review}
      onClose={onClose}
      onApplied={({ changeId }) => {
        onClose();
        if (changeId) onChanged(changeId, `${values.name} updated`);
      }}
    >
      <TextInput label="Name" data-autofocus {...bind('name')} />
      <TimeZoneSelect
        description="Days, months and calendar quotas start in this time zone."
        {...bind('timeZone')}
      />
      <TypedField
        label="Billing day"
        description="Day of the month when the billing period starts; the last day in shorter months."
        unit={wholeNumbers(1, 31)}
        {...bind('billingAnchorDay')}
      />
      <TagsInput label="Tags" description="Labels for search and rollouts. Up to 20." {...bind('tags')} />
    </ChangeReview>
  );
}

import { Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { EmptyText, Panel, QueryFallback } from '../../components/page.js';
import { useFields } from '../../lib/form.js';
import { notifyDone } from '../../lib/graphql-request.js';
import { useMutationDialog } from '../../lib/mutation.js';
import {
  type BillingDetails,
  BillingDetailsSetDocument,
  billingDetailsKey,
  billingDetailsQuery,
} from './api.js';

/** Name, address and tax ID on the tenant's invoices and receipts. */
export function BillingDetailsPanel({ tenantKey }: { tenantKey: string }) {
  const query = useQuery(billingDetailsQuery(tenantKey));
  const [isEditing, setEditing] = useState(false);
  const { name, address, taxId, email, version } = query.data ?? {};
  const lines = [name, address, taxId && `Tax ID ${taxId}`, email].filter(Boolean);
  return (
    <Panel
      title="Billing details"
      note="Printed on new invoices and receipts."
      flush
      actions={
        <GatedButton
          permission="purchases:write"
          tenantKey={tenantKey}
          variant="default"
          disabled={query.data === undefined}
          onClick={() => setEditing(true)}
        >
          Edit
        </GatedButton>
      }
    >
      <QueryFallback query={query} rows={2} />
      {version !== undefined && lines.length === 0 && (
        <EmptyText>Add the name, address and tax ID of your company.</EmptyText>
      )}
      {lines.length > 0 && (
        <address
          style={{ padding: 16, fontStyle: 'normal', whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}
        >
          {lines.join('\n')}
        </address>
      )}
      {isEditing && query.data && (
        <BillingDetailsDialog tenantKey={tenantKey} details={query.data} onClose={() => setEditing(false)} />
      )}
    </Panel>
  );
}

interface BillingDetailsDialogProps {
  tenantKey: string;
  details: BillingDetails;
  onClose: () => void;
}

function BillingDetailsDialog({ tenantKey, details, onClose }: BillingDetailsDialogProps) {
  const { version: expectedVersion, ...texts } = details;
  const { errors, dialog } = useMutationDialog(
    BillingDetailsSetDocument,
    Object.keys(texts),
    billingDetailsKey,
  );
  const { values, bind } = useFields(errors, texts);
  const save = dialog({ tenantKey, expectedVersion, ...values }, () => {
    notifyDone('Billing details saved');
    onClose();
  });
  return (
    <CreateModal title="Billing details" submitLabel="Save" onClose={onClose} {...save}>
      <TextInput label="Company or name" data-autofocus autoComplete="organization" {...bind('name')} />
      <Textarea label="Address" minRows={3} maxRows={6} {...bind('address')} />
      <TextInput label="Tax ID" placeholder="DE123456789" {...bind('taxId')} />
      <TextInput label="Billing email" type="email" autoComplete="email" {...bind('email')} />
    </CreateModal>
  );
}

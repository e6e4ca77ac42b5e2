import { Select, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import type { QuotaRequestGrant } from '../../../generated/graphql.js';
import { endOfLifetime } from '../../../lib/form.js';
import { errorsByField, isConflict } from '../../../lib/graphql-request.js';
import { formatNumber } from '../../../lib/number-format.js';
import { formatCount, parseCount } from '../../../lib/rate.js';
import { type Decision, quotaDecisionCall, useQuotaRequestDecide } from '../api/quota-request-decide.js';
import type { QuotaRequestRow } from '../api/quota-requests.js';

export type DecisionKind = Decision['kind'];

interface DecisionDialogProps {
  request: QuotaRequestRow;
  kind: DecisionKind;
  onClose: () => void;
  onChanged: (changeId: string, title: string) => void;
}

const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'No end date' },
];
const GRANTS = [
  { value: 'OVERRIDE', label: 'Override (sets the limit)' },
  { value: 'ENTITLEMENT', label: 'Entitlement (adds to the limit)' },
];
const SUBMIT_LABEL = { approve: 'Approve', counter: 'Send offer', decline: 'Decline' };

/** One of the three answers to a request. */
export function DecisionDialog({ request, kind, onClose, onChanged }: DecisionDialogProps) {
  const { tenant, limit, wanted, current } = request;
  const [values, setValues] = useState({
    as: 'OVERRIDE' as QuotaRequestGrant,
    days: '30',
    offered: formatCount(Math.round((current + wanted) / 2)),
    answer: '',
  });
  const [problem, setProblem] = useState<string>();
  const decide = useQuotaRequestDecide();
  const { byField, form } = errorsByField(decide.error, ['as', 'expiresAt', 'until', 'offered', 'answer']);
  const set = (part: Partial<typeof values>) => setValues({ ...values, ...part });

  const offered = parseCount(values.offered);
  const decisionOf = (): Decision | undefined => {
    const common = { requestId: request.id, expectedVersion: request.version };
    const answer = values.answer.trim();
    const end = endOfLifetime(values.days);
    if (kind === 'decline') return { ...common, kind, answer };
    if (kind === 'approve') return { ...common, kind, as: values.as, expiresAt: end, answer: answer || null };
    return offered.ok ? { ...common, kind, offered: offered.value, until: end, answer } : undefined;
  };
  const decision = decisionOf();
  const submit = () => {
    setProblem(kind === 'counter' && !offered.ok ? offered.message : undefined);
    if (!decision) return;
    const title = {
      approve: `${tenant.name}: ${limit} raised to ${formatNumber(wanted)}`,
      counter: `Counteroffer sent to ${tenant.name}`,
      decline: `Request from ${tenant.name} declined`,
    }[kind];
    decide.mutate(decision, {
      onSuccess: ({ changeId, warnings }) => {
        if (changeId && kind === 'approve') onChanged(changeId, title);
        else notifications.show({ message: title, color: 'gate' });
        for (const message of warnings) notifications.show({ message, color: 'ochre' });
        onClose();
      },
    });
  };
  const title = {
    approve: `Raise ${limit} of ${tenant.name} to ${formatNumber(wanted)}?`,
    counter: `Make ${tenant.name} a counteroffer`,
    decline: `Decline the request from ${tenant.name}?`,
  }[kind];
  return (
    <CreateModal
      opened
      title={title}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={SUBMIT_LABEL[kind]}
      pending={decide.isPending}
      problem={
        isConflict(decide.error) ? 'This request has changed. Close the dialog and review it again.' : form
      }
      {...(decision && { copy: { call: quotaDecisionCall(decision) } })}
    >
      {kind === 'counter' && (
        <TextInput
          label="Offer"
          data-autofocus
          inputMode="numeric"
          value={values.offered}
          onChange={({ currentTarget: { value } }) => set({ offered: value })}
          error={problem ?? byField.offered}
        />
      )}
      {kind === 'approve' && (
        <Select
          label="Grant as"
          data={GRANTS}
          value={values.as}
          onChange={(as) => as && set({ as: as as QuotaRequestGrant })}
          allowDeselect={false}
          error={byField.as}
        />
      )}
      {kind !== 'decline' && (
        <Select
          label="Duration"
          data={LIFETIMES}
          value={values.days}
          onChange={(days) => set({ days: days ?? '' })}
          allowDeselect={false}
          error={byField.expiresAt ?? byField.until}
        />
      )}
      <Textarea
        label="Message to the customer"
        description={kind === 'approve' ? 'Optional.' : 'Shown to the customer.'}
        value={values.answer}
        onChange={({ currentTarget: { value } }) => set({ answer: value })}
        maxLength={500}
        autosize
        minRows={2}
        error={byField.answer}
        {...(kind === 'decline' ? { 'data-autofocus': true } : {})}
      />
    </CreateModal>
  );
}

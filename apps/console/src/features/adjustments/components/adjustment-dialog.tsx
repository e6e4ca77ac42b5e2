import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { ReasonField } from '../../../components/reason-field.js';
import { effectOf } from '../../../lib/effect-input.js';
import { formatInZone } from '../../../lib/time-format.js';
import { errorsByField } from '../../../lib/user-errors.js';
import {
  type AdjustmentDraft,
  type AdjustmentMaking,
  endOf,
  kindsFor,
  newDraft,
} from '../adjustment-draft.js';
import { type AdjustedTenant, adjustmentCall, useAdjustmentMake } from '../api/adjustment-make.js';
import { EffectFields, GrantFields, TargetFields } from './adjustment-fields.js';
import { AdjustmentPreview, type LimitNow } from './adjustment-preview.js';
import classes from './adjustments.module.css';

const SUBMIT_LABEL = { override: 'Set override', boost: 'Start boost', grant: 'Grant' };

/** Whose limits are changed, and what they are now. */
export interface AdjustmentTenant extends AdjustedTenant {
  name: string;
  timeZone: string;
  limits: readonly LimitNow[];
}

interface AdjustmentDialogProps {
  making: AdjustmentMaking;
  tenant: AdjustmentTenant;
  /** The limit that it was opened from. */
  target?: { apiKey: string; limit: string };
  onClose: () => void;
  onMade: (changeId: string | undefined, title: string) => void;
}

const FIELDS = ['apiKey', 'limit', 'effect', 'expiresAt', 'endsAt', 'reason', 'label', 'effects'];

/** An override, a boost or a grant: what it does to which limits, for how long and why, with what comes of it beside. */
export function AdjustmentDialog({ making, tenant, target, onClose, onMade }: AdjustmentDialogProps) {
  const [draft, setDraft] = useState(() => newDraft(making, target));
  const [settled] = useDebouncedValue(draft, 300);
  const [tried, setTried] = useState(false);
  const make = useAdjustmentMake();
  const { byField, form } = errorsByField(make.error, FIELDS);
  const set = (part: Partial<AdjustmentDraft>) =>
    setDraft((now) => {
      const next = { ...now, ...part };
      return kindsFor(making, next).includes(next.kind) ? next : { ...next, kind: 'MULTIPLY', amount: '' };
    });
  const effect = effectOf(draft);
  const end = endOf(draft, Date.now());
  const isEndMissing = making === 'boost' && end === null;
  const submit = () => {
    setTried(true);
    if (!effect || end === undefined || isEndMissing) return;
    const title = (
      {
        boost: `${tenant.name} boosted`,
        grant: `${draft.label} granted to ${tenant.name}`,
        override: `Override set for ${tenant.name}`,
      } as const
    )[making];
    make.mutate({ making, tenant, draft }, { onSuccess: (changeId) => onMade(changeId, title) });
  };
  return (
    <CreateModal
      title={
        {
          boost: `Boost limits of ${tenant.name}`,
          grant: `Grant ${tenant.name} an entitlement`,
          override: `Override limits of ${tenant.name}`,
        }[making]
      }
      opened
      onClose={onClose}
      onSubmit={submit}
      submitLabel={SUBMIT_LABEL[making]}
      pending={make.isPending}
      problem={form}
      copy={{ call: adjustmentCall({ making, tenant, draft }) }}
    >
      {making === 'grant' && <GrantFields draft={draft} onChange={set} errors={byField} />}
      <TargetFields draft={draft} onChange={set} errors={byField} limits={tenant.limits} />
      <EffectFields
        making={making}
        draft={draft}
        onChange={set}
        errors={byField}
        unreadable={(tried || draft.amount !== '') && !effect}
      />
      <TextInput
        label="Duration"
        description={
          making === 'boost' ? 'such as 30m, 2 h or 3d' : 'such as 30m, 2 h or 7d. Leave empty for no end.'
        }
        value={draft.lasts}
        onChange={({ currentTarget: { value } }) => set({ lasts: value })}
        rightSectionWidth={230}
        rightSection={<LastsUntil end={end} timeZone={tenant.timeZone} />}
        error={
          byField.endsAt ??
          byField.expiresAt ??
          (end === undefined || isEndMissing ? 'Enter a duration such as 30m, 2 h or 7d' : undefined)
        }
      />
      <ReasonField
        required
        hint="Explain why, for the audit log."
        value={draft.reason}
        onChange={(reason) => set({ reason })}
        error={byField.reason}
      />
      <AdjustmentPreview making={making} tenant={tenant} draft={settled} limits={tenant.limits} />
    </CreateModal>
  );
}

function LastsUntil({ end, timeZone }: { end: Date | null | undefined; timeZone: string }) {
  if (end === undefined) return null;
  return (
    <span className={classes.until}>
      {end === null ? 'no end date' : `until ${formatInZone(end.toISOString(), timeZone)}`}
    </span>
  );
}

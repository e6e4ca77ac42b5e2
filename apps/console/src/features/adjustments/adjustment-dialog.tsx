import { Group, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconArrowRight } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { EffectFields, TargetFields } from '../../components/effect-fields.js';
import { ReasonField } from '../../components/fields.js';
import { effectOf } from '../../lib/effect-text.js';
import { bindFields } from '../../lib/form.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatInZone } from '../../lib/time-format.js';
import {
  type AdjustmentDraft,
  type AdjustmentMaking,
  endOf,
  kindsFor,
  newDraft,
} from './adjustment-draft.js';
import classes from './adjustments.module.css';
import {
  ADJUSTMENTS,
  type AdjustedTenant,
  adjustmentInput,
  adjustmentPreviewQuery,
  adjustmentsKey,
} from './api.js';

const SOURCES = [
  { value: 'TOPUP', label: 'Top-up (one-time, expires)' },
  { value: 'UPGRADE', label: 'Upgrade (until revoked or expired)' },
];

export interface LimitNow {
  apiKey: string;
  limitName: string;
  limit: number;
}

interface AdjustmentPreviewProps {
  making: AdjustmentMaking;
  tenant: AdjustedTenant;
  draft: AdjustmentDraft;
  limits: readonly LimitNow[];
}

export function AdjustmentPreview({ making, tenant, draft, limits }: AdjustmentPreviewProps) {
  const end = endOf(draft, Date.now());
  const isReadable =
    effectOf(draft) !== undefined && end !== undefined && (making !== 'boost' || end !== null);
  const { data } = useQuery({
    ...adjustmentPreviewQuery({ making, tenant, draft: { ...draft, reason: '', label: '' } }, isReadable),
    placeholderData: keepPreviousData,
  });
  const errors = data?.userErrors ?? [];
  const changed = (data?.preview ?? []).flatMap(({ apiKey, limitName, limit }) => {
    const now = limits.find((one) => one.apiKey === apiKey && one.limitName === limitName);
    return now === undefined || now.limit === limit ? [] : [{ ...now, to: limit }];
  });
  return (
    <div className={classes.preview} aria-live="polite">
      <Text size="xs" c="dimmed" fw={500}>
        Preview
      </Text>
      {!isReadable && <Text size="sm">Fill in the fields to preview the limits.</Text>}
      {isReadable && errors.length > 0 && (
        <Text size="sm" c="var(--mantine-color-error)">
          {errors.map(({ message }) => message).join(' ')}
        </Text>
      )}
      {isReadable && data && errors.length === 0 && changed.length === 0 && (
        <Text size="sm">No limits change.</Text>
      )}
      {isReadable && changed.length > 0 && (
        <ul className={classes.previewList}>
          {changed.map(({ apiKey, limitName, limit, to }) => (
            <li key={`${apiKey}/${limitName}`}>
              <span>
                {limitName} <span className="tg-soft">{apiKey}</span>
              </span>
              <span className="tg-number">
                {formatNumber(limit)} <IconArrowRight size={13} aria-hidden />{' '}
                <strong>{formatNumber(to)}</strong>
              </span>
            </li>
          ))}
        </ul>
      )}
      {isReadable &&
        data?.warnings.map((warning) => (
          <Text key={warning} size="sm" c="var(--mantine-color-ochre-7)">
            {warning}
          </Text>
        ))}
    </div>
  );
}

export interface AdjustmentTenant extends AdjustedTenant {
  name: string;
  timeZone: string;
  limits: readonly LimitNow[];
}

interface AdjustmentDialogProps {
  making: AdjustmentMaking;
  tenant: AdjustmentTenant;
  target?: { apiKey: string; limit: string };
  onClose: () => void;
  /** Called with the change to follow and a title. */
  onChanged: (changeId: string, title: string) => void;
}

const FIELDS = ['apiKey', 'limit', 'effect', 'expiresAt', 'endsAt', 'reason', 'label', 'effects'];

/** Creates an override, a boost or an entitlement, with a preview of the limits. */
export function AdjustmentDialog({ making, tenant, target, onClose, onChanged }: AdjustmentDialogProps) {
  const [draft, setDraft] = useState(() => newDraft(making, target));
  const [debounced] = useDebouncedValue(draft, 300);
  const [tried, setTried] = useState(false);
  const { errors, dialog } = useMutationDialog(ADJUSTMENTS[making], FIELDS, ['tenants'], adjustmentsKey);
  const set = (part: Partial<AdjustmentDraft>) =>
    setDraft((now) => {
      const next = { ...now, ...part };
      return kindsFor(making, next).includes(next.kind) ? next : { ...next, kind: 'MULTIPLY', amount: '' };
    });
  const bind = bindFields(draft, set, errors);
  const end = endOf(draft, Date.now());
  const isEndMissing = making === 'boost' && end === null;
  const { title, done, submitLabel } = {
    boost: {
      title: `Boost limits of ${tenant.name}`,
      done: `${tenant.name} boosted`,
      submitLabel: 'Start boost',
    },
    grant: {
      title: `Grant ${tenant.name} an entitlement`,
      done: `${draft.label} granted to ${tenant.name}`,
      submitLabel: 'Grant',
    },
    override: {
      title: `Override limits of ${tenant.name}`,
      done: `Override set for ${tenant.name}`,
      submitLabel: 'Set override',
    },
  }[making];
  const save = dialog(adjustmentInput({ making, tenant, draft }), ({ changeId }) => {
    onClose();
    if (changeId) onChanged(changeId, done);
  });
  const submit = () => {
    setTried(true);
    if (effectOf(draft) && end !== undefined && !isEndMissing) save.onSubmit();
  };
  return (
    <CreateModal title={title} submitLabel={submitLabel} onClose={onClose} {...save} onSubmit={submit}>
      {making === 'grant' && (
        <Group grow align="start">
          <TextInput
            label="Name"
            description="Shown to the tenant as the source of the limit."
            {...bind('label')}
          />
          <Select label="Kind" description={'\u00a0'} data={SOURCES} {...bind('source')} />
        </Group>
      )}
      <TargetFields
        value={draft}
        onChange={set}
        apis={[...new Set(tenant.limits.map(({ apiKey }) => apiKey))]
          .sort()
          .map((key) => ({ value: key, label: key }))}
        limits={tenant.limits.flatMap(({ apiKey, limitName }) =>
          apiKey === draft.apiKey ? [limitName] : [],
        )}
        errors={errors}
      />
      <EffectFields
        value={draft}
        onChange={set}
        kinds={kindsFor(making, draft)}
        required={tried}
        error={errors.effect ?? errors.effects}
      />
      <TextInput
        label="Duration"
        description={
          making === 'boost' ? 'such as 30m, 2 h or 3d' : 'such as 30m, 2 h or 7d. Leave empty for no end.'
        }
        {...bind('lasts')}
        rightSectionWidth={230}
        rightSection={<LastsUntil end={end} timeZone={tenant.timeZone} />}
        error={
          errors.endsAt ??
          errors.expiresAt ??
          (end === undefined || isEndMissing ? 'Enter a duration such as 30m, 2 h or 7d' : undefined)
        }
      />
      <ReasonField required hint="Explain why, for the audit log." {...bind('reason')} />
      <AdjustmentPreview making={making} tenant={tenant} draft={debounced} limits={tenant.limits} />
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

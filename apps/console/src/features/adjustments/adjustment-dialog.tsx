import { Group, Select, Stack, TextInput } from '@mantine/core';
import type { LimitPolicy } from '@tollgate/contracts';
import { useMemo, useState } from 'react';
import { ChangeReview, ImpactSummary } from '../../components/change-review.js';
import { ChangeList } from '../../components/differences.js';
import { EffectFields, TargetFields } from '../../components/effect-fields.js';
import { Hint } from '../../components/page.js';
import { NumberText } from '../../components/typed-field.js';
import { effectOf } from '../../lib/effect-text.js';
import { bindFields } from '../../lib/form.js';
import { errorsByField, type UserErrorInfo, UserErrorsError } from '../../lib/graphql-request.js';
import type { Effect } from '../../lib/limit-diff.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { useReviewedMutation } from '../../lib/mutation.js';
import { formatAmount, parseDuration } from '../../lib/rate.js';
import { formatInZone } from '../../lib/time-format.js';
import {
  type AdjustmentDraft,
  type AdjustmentMaking,
  endOf,
  kindsFor,
  newDraft,
} from './adjustment-draft.js';
import { ADJUSTMENTS, type AdjustedTenant, adjustmentInput, adjustmentsKey } from './api.js';

const SOURCES = [
  { value: 'TOPUP', label: 'Top-up (one-time, expires)' },
  { value: 'UPGRADE', label: 'Upgrade (until revoked or expired)' },
];

interface LimitPreviewed {
  apiKey: string;
  limitName: string;
  limit: number;
}

export interface AdjustmentTenant extends AdjustedTenant {
  name: string;
  timeZone: string;
  limits: readonly LimitPolicy[];
}

interface AdjustmentDialogProps {
  making: AdjustmentMaking;
  tenant: AdjustmentTenant;
  target?: { apiKey: string; limit: string };
  onClose: () => void;
  /** Called with the change to follow and a title. */
  onChanged: (changeId: string, title: string) => void;
}

const FIELDS = ['apiKey', 'limit', 'effect', 'expiresAt', 'endsAt', 'label', 'effects'];

const TEXTS = {
  boost: { title: 'Boost limits of', submit: 'Start boost', permission: 'boosts:write' },
  grant: { title: 'Grant an entitlement to', submit: 'Grant', permission: 'entitlements:write' },
  override: { title: 'Override limits of', submit: 'Set override', permission: 'overrides:write' },
} as const;

/** Creates an override, a boost or an entitlement, in a review of the tenant's limits before and after. */
export function AdjustmentDialog({ making, tenant, target, onClose, onChanged }: AdjustmentDialogProps) {
  const [draft, setDraft] = useState(() => newDraft(making, target));
  const [refused, setRefused] = useState<readonly UserErrorInfo[]>([]);
  const { byField: errors } = errorsByField(new UserErrorsError(refused), FIELDS);
  const set = (part: Partial<AdjustmentDraft>) =>
    setDraft((now) => {
      const next = { ...now, ...part };
      return kindsFor(making, next).includes(next.kind) ? next : { ...next, kind: 'MULTIPLY', amount: '' };
    });
  const bind = bindFields(draft, set, errors);
  const { lasts } = draft;
  // The end that is shown is the one that is applied.
  const end = useMemo(() => endOf({ lasts }, Date.now()), [lasts]);
  const isEndMissing = end === undefined || (making === 'boost' && end === null);
  const input = adjustmentInput({ making, tenant, draft, end });
  const save = useReviewedMutation(ADJUSTMENTS[making], input, ['tenants'], adjustmentsKey);
  const { title, submit, permission } = TEXTS[making];
  const done = {
    boost: `${tenant.name} boosted`,
    grant: `${draft.label} granted to ${tenant.name}`,
    override: `Override set for ${tenant.name}`,
  }[making];
  return (
    <ChangeReview
      title={`${title} ${tenant.name}`}
      permission={permission}
      tenantKey={tenant.key}
      call={save.call}
      send={async (terms) => {
        const outcome = await save.send(terms);
        return { ...outcome, warnings: outcome.warnings.map(toWarning) };
      }}
      applyLabel={submit}
      reasonRequired
      incomplete={!effectOf(draft) || isEndMissing || (making === 'grant' && draft.label.trim() === '')}
      fields={FIELDS}
      effect={({ preview, impact }) => (
        <Stack gap="sm">
          <LimitPreview preview={preview} limits={tenant.limits} />
          {impact && impact.decreased > 0 && <ImpactSummary impact={impact} />}
        </Stack>
      )}
      onRefused={setRefused}
      onTried={setRefused}
      onClose={onClose}
      onApplied={({ changeId }) => {
        onClose();
        if (changeId) onChanged(changeId, done);
      }}
    >
      {making === 'grant' && (
        <Group grow align="start">
          <TextInput
            label="Name"
            description="Shown to the tenant as the source of the limit."
            required
            data-autofocus
            {...bind('label')}
          />
          <Select label="Kind" description={'\u00a0'} data={SOURCES} {...bind('source')} />
        </Group>
      )}
      <TargetFields
        value={draft}
        onChange={set}
        apis={[...new Set(tenant.limits.map(({ api }) => api))]
          .sort()
          .map((key) => ({ value: key, label: key }))}
        limits={tenant.limits.flatMap(({ api, name }) => (api === draft.apiKey ? [name] : []))}
        errors={errors}
      />
      <EffectFields
        value={draft}
        onChange={set}
        kinds={kindsFor(making, draft)}
        error={errors.effect ?? errors.effects}
      />
      <NumberText
        label="Duration"
        description={
          end
            ? `Until ${formatInZone(end.toISOString(), tenant.timeZone)}`
            : making === 'boost'
              ? 'such as 30m, 2 h or 3d'
              : 'such as 30m, 2 h or 7d. Leave empty for no end.'
        }
        {...bind('lasts')}
        parsed={parseDuration(lasts)}
        error={
          errors.endsAt ??
          errors.expiresAt ??
          (isEndMissing ? 'Enter a duration such as 30m, 2 h or 7d' : undefined)
        }
      />
    </ChangeReview>
  );
}

/** Messages that differ only in numbers and names are of one kind. */
const toWarning = (message: string) => ({
  code: message.replace(/^\S+: |[\d,]+|"[^"]*"/g, ''),
  message,
  advice: '',
});

interface LimitPreviewProps {
  preview: readonly LimitPreviewed[];
  limits: readonly LimitPolicy[];
}

/** Limits that change, with their values before and after. */
function LimitPreview({ preview, limits }: LimitPreviewProps) {
  const changed = preview.flatMap(({ apiKey, limitName, limit }) => {
    const now = limits.find(({ api, name }) => api === apiKey && name === limitName);
    if (now === undefined || now.limit === limit) return [];
    const { api, name } = now;
    const effect: Effect = limit > now.limit ? 'increased' : 'decreased';
    const [before, after] = [now.limit, limit].map((one) => formatAmount({ ...ruleOf(now), limit: one }));
    return [{ api, name, effect, fields: [{ label: 'Limit', before, after }] }];
  });
  return changed.length === 0 ? <Hint>No limits change.</Hint> : <ChangeList changes={changed} />;
}

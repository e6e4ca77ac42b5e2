import { Anchor, Group, VisuallyHidden } from '@mantine/core';
import { isBlocking } from '@tollgate/contracts/limit-scope';
import { amountInWords, limitTitle, perSpan } from '@tollgate/contracts/limit-title';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { Problem } from '../../components/page.js';
import { optional, TypedField, wholeNumbers } from '../../components/typed-field.js';
import { notifyDone } from '../../lib/graphql-request.js';
import { LIMIT_SOURCE_TEXT } from '../../lib/labels.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { useInputMutation, useMutationDialog } from '../../lib/mutation.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatDayInZone } from '../../lib/time-format.js';
import {
  OwnLimitRemoveDocument,
  OwnLimitSetDocument,
  type PortalLimit,
  type PortalTenant,
  portalTenantKey,
} from './api.js';
import classes from './portal.module.css';

interface LimitDetailsProps {
  limit: PortalLimit;
  tenant: PortalTenant;
}

const ownStep = ({ provenance }: PortalLimit) => provenance.find(({ source }) => source === 'OWN');

/** On request: how a limit is calculated, and the tenant's own limit. */
export function LimitDetails({ limit, tenant }: LimitDetailsProps) {
  const [editing, setEditing] = useState(false);
  const remove = useInputMutation(OwnLimitRemoveDocument, portalTenantKey);
  const { policy } = limit.limit;
  const own = ownStep(limit);
  // Limits by user or address seldom concern the tenant as a whole.
  if (policy.per.length > 0 && limit.provenance.length === 0) return null;
  const gate = {
    permission: 'own-limits:write',
    tenantKey: tenant.key,
    variant: 'default',
    size: 'compact-sm',
  } as const;
  const target = { tenantKey: tenant.key, apiKey: policy.api, limit: policy.name };
  return (
    <details className={classes.included}>
      <Anchor component="summary" size="xs">
        {summaryOf(limit, tenant.timeZone)}
      </Anchor>
      <LimitBill limit={limit} tenant={tenant} />
      <Group gap={8} mt={8}>
        {(own || !isBlocking(policy)) && (
          <GatedButton {...gate} onClick={() => setEditing(true)}>
            {own ? 'Change your own limit' : 'Set a lower limit'}
          </GatedButton>
        )}
        {own && (
          <GatedButton
            {...gate}
            loading={remove.isPending}
            onClick={() =>
              remove.mutate(target, { onSuccess: () => notifyDone('Your own limit was removed') })
            }
          >
            Remove your own limit
          </GatedButton>
        )}
      </Group>
      <Problem mt={8}>{remove.error?.message}</Problem>
      {editing && <OwnLimitDialog limit={limit} tenantKey={tenant.key} onClose={() => setEditing(false)} />}
    </details>
  );
}

/** What the limit includes besides the plan. */
function summaryOf(limit: PortalLimit, timeZone: string): string {
  const { provenance, tierLimit } = limit;
  const rule = ruleOf(limit.limit.policy);
  const own = ownStep(limit);
  if (own && own.to < own.from) return `Lowered from ${formatNumber(own.from)} by your own limit`;
  const more = rule.limit - tierLimit;
  if (more === 0) return 'Details';
  const until = provenance.findLast((step) => step.until)?.until;
  const change = `${more > 0 ? '+' : '−'}${formatNumber(Math.abs(more))} ${perSpan(rule)}`;
  return `Includes ${change}${until ? ` until ${formatDayInZone(until, timeZone)}` : ''}`;
}

const OWN_LIMIT = optional(wholeNumbers(1));

interface OwnLimitDialogProps {
  limit: PortalLimit;
  tenantKey: string;
  onClose: () => void;
}

function OwnLimitDialog({ limit, tenantKey, onClose }: OwnLimitDialogProps) {
  const { policy } = limit.limit;
  const own = ownStep(limit);
  const [max, setMax] = useState(own?.to);
  const [problem, setProblem] = useState<string>();
  const { errors, dialog } = useMutationDialog(OwnLimitSetDocument, ['max'], portalTenantKey);
  const most = own?.from ?? policy.limit;
  const isWrong = max === undefined || max >= most;
  const input = isWrong ? undefined : { tenantKey, apiKey: policy.api, limit: policy.name, max };
  const save = dialog(input, () => {
    notifyDone('Your own limit is in effect');
    onClose();
  });
  const submit = () => {
    setProblem(isWrong ? `Enter a number below ${formatNumber(most)}` : undefined);
    save.onSubmit();
  };
  return (
    <CreateModal
      title={`Your own limit for ${limitTitle(policy)}`}
      submitLabel="Set limit"
      onClose={onClose}
      {...save}
      onSubmit={submit}
    >
      <TypedField
        label={`At most ${perSpan(ruleOf(policy))}`}
        description={`Below ${formatNumber(most)}. In effect within seconds; remove it at any time.`}
        unit={OWN_LIMIT}
        value={max}
        onChange={setMax}
        data-autofocus
        error={problem ?? errors.max}
      />
    </CreateModal>
  );
}

/** How a limit is calculated from plan, purchases and grants. */
function LimitBill({ limit, tenant }: { limit: PortalLimit; tenant: PortalTenant }) {
  const { policy } = limit.limit;
  const total = amountInWords(ruleOf(policy));
  return (
    <table className={classes.bill}>
      <caption>
        <VisuallyHidden>
          How {policy.name} is calculated: {total}
        </VisuallyHidden>
      </caption>
      <tbody>
        <tr>
          <th scope="row">{tenant.subscription.tier.name} plan</th>
          <td>{formatNumber(limit.tierLimit)}</td>
        </tr>
        {limit.provenance.map(({ adjustmentId, label, source, from, to, until }) => (
          <tr key={adjustmentId}>
            <th scope="row">
              {source === 'OWN' ? (
                'Your own limit'
              ) : (
                <>
                  <span className="tg-soft">{LIMIT_SOURCE_TEXT[source]}</span> {label}
                </>
              )}
              {until && <span className="tg-soft"> (until {formatDayInZone(until, tenant.timeZone)})</span>}
            </th>
            <td>{formatStep(from, to)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Effective limit</th>
          <td>= {total}</td>
        </tr>
      </tfoot>
    </table>
  );
}

const formatStep = (from: number, to: number): string =>
  to >= from ? `+${formatNumber(to - from)}` : `−${formatNumber(from - to)}`;

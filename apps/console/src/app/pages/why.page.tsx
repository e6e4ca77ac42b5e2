import { Group } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { coversApi } from '@tollgate/contracts/limit-scope';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { LinkButton } from '../../components/links.js';
import { EmptyState, Failure, Page, Panel, RowsSkeleton } from '../../components/page.js';
import { AdjustmentDialog } from '../../features/adjustments/adjustment-dialog.js';
import { type Decision, explanationQuery, isDenied, whyQuery } from '../../features/explain/api.js';
import { CounterMinute } from '../../features/explain/counter-minute.js';
import { DecidingRule } from '../../features/explain/decision-facts.js';
import { DecisionLadder } from '../../features/explain/decision-ladder.js';
import { CheckedLimits, DecisionView, RecentDenials, WhyForm } from '../../features/explain/decision-view.js';
import { PassingRequest } from '../../features/explain/passing-request.js';
import { followChange } from '../../features/nodes/follow-change.js';
import { type TenantDetail, tenantQuery } from '../../features/tenants/api.js';
import { EffectiveLimits } from '../../features/tenants/effective-limits.js';
import { toAdjustmentTenant } from './tenant/use-tenant.js';

const route = getRouteApi('/shell/why');

/** Explains a decision: the checked limits and how to change the outcome. */
export function WhyPage() {
  const { q, request } = route.useSearch();
  const navigate = useNavigate();
  const text = request ?? q ?? '';
  const found = useQuery(whyQuery(text));
  const tenantKey = found.data?.tenantKey;
  const { data: tenant } = useQuery({ ...tenantQuery(tenantKey ?? ''), enabled: tenantKey !== undefined });
  const decision = found.data?.decision;
  return (
    <Page title="Why?" description="Why was a request allowed or denied?">
      <WhyForm
        text={text}
        hint="Paste a request ID, an API key or a tenant key."
        onAsk={(asked) => void navigate({ to: '/why', search: asked ? { q: asked } : {} })}
      />
      {text === '' && (
        <EmptyState icon={IconHelpCircle} title="Why was a request allowed or denied?">
          Every response of the decision API has a request ID. Paste it here to see each limit that was
          checked, what was left then and now, and how to fix it.
        </EmptyState>
      )}
      {found.error && <Failure error={found.error} onRetry={() => void found.refetch()} />}
      {text !== '' && !tenant && !found.error && found.data !== null && <RowsSkeleton rows={5} framed />}
      {found.data === null && (
        <EmptyState icon={IconHelpCircle} title={`No match for “${text.slice(0, 60)}”`}>
          No tenant, API key or recorded request matches. Denied requests are recorded while there are few,
          others are sampled. New requests appear within two seconds, and old ones are deleted.
        </EmptyState>
      )}
      {tenant && decision && <Explained decision={decision} tenant={tenant} />}
      {tenant && decision === null && (
        <>
          <RecentDenials tenantKey={tenant.key} />
          <EffectiveLimits tenant={tenant} />
        </>
      )}
    </Page>
  );
}

function Explained({ decision, tenant }: { decision: Decision; tenant: TenantDetail }) {
  const [making, setMaking] = useState<'boost' | 'override'>();
  const { apiKey, limitName, requestId } = decision;
  const { data: explanation } = useQuery(explanationQuery(tenant.key, requestId));
  const limits = tenant.effectiveLimits.map(({ limit: { policy }, live }) => ({
    apiKey: policy.api,
    limitName: policy.name,
    limit: policy.limit,
    live: live ?? null,
  }));
  const sharedBy = explanation?.sharedBy ?? null;
  const winner = tenant.effectiveLimits.find(
    ({ limit: { policy } }) => sharedBy === null && coversApi(policy, apiKey) && policy.name === limitName,
  );
  return (
    <>
      <DecisionView decision={decision} timeZone={tenant.timeZone} />
      {explanation && <DecidingRule rule={explanation.rule} />}
      <DecisionLadder decision={decision} timeZone={tenant.timeZone} />
      <CheckedLimits
        decision={decision}
        states={explanation?.limits}
        limits={limits}
        timeZone={tenant.timeZone}
      />
      {explanation && (
        <PassingRequest explanation={explanation} timeZone={tenant.timeZone} nameOf={(name) => name} />
      )}
      {explanation?.minute && (
        <CounterMinute
          minute={explanation.minute}
          {...(limitName && { limitName })}
          denied={isDenied(decision.outcome)}
          timeZone={tenant.timeZone}
        />
      )}
      <Panel title="Next steps">
        <Group gap={8}>
          {winner && (
            <>
              <GatedButton permission="boosts:write" onClick={() => setMaking('boost')}>
                Boost limit
              </GatedButton>
              <GatedButton
                permission="overrides:write"
                variant="default"
                onClick={() => setMaking('override')}
              >
                Override limit
              </GatedButton>
            </>
          )}
          {sharedBy === null ? (
            <LinkButton to="/tenants/$tenantKey" params={{ tenantKey: tenant.key }} variant="default">
              {decision.reason === 'BLOCKED' && !limitName ? 'View tenant' : 'Change tier'}
            </LinkButton>
          ) : (
            <LinkButton to="/tenants/$tenantKey" params={{ tenantKey: sharedBy }} variant="default">
              View {sharedBy}
            </LinkButton>
          )}
          <LinkButton to="/offers" variant="default">
            Offer upgrade
          </LinkButton>
        </Group>
      </Panel>
      {making && winner && limitName && (
        <AdjustmentDialog
          making={making}
          tenant={toAdjustmentTenant(tenant)}
          target={{ apiKey: winner.limit.policy.api, limit: limitName }}
          onClose={() => setMaking(undefined)}
          onChanged={followChange}
        />
      )}
    </>
  );
}

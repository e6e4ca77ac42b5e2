import { Button, Collapse, Text } from '@mantine/core';
import { IconChevronDown, IconInfinity } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import { LimitGauge } from '../../components/figures.js';
import { LinkAnchor } from '../../components/links.js';
import { EmptyState, Panel } from '../../components/page.js';
import type { LimitSource } from '../../generated/graphql.js';
import { LIMIT_SOURCE_TEXT } from '../../lib/labels.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatAmount } from '../../lib/rate.js';
import { formatInZone } from '../../lib/time-format.js';
import type { EffectiveLimitDetail, TenantDetail } from './api.js';
import classes from './tenants.module.css';

const RUNGS = ['DEFAULT', 'TIER', 'UPGRADE', 'TOPUP', 'OVERRIDE', 'BOOST'] as const;

/** A limit with the sources of its value. */
export interface LadderLimit {
  source: LimitSource;
  tierLimit: number;
  /** Whether the tier has it from the API's defaults. */
  isDefault: boolean;
  provenance: ReadonlyArray<{
    source: LimitSource;
    adjustmentId: string;
    label: string;
    to: number;
    until?: string | null;
  }>;
}

interface LimitLadderProps {
  limit: LadderLimit;
  /** Name of the first rung: a tier version or the API. */
  base: string;
  timeZone: string;
}

/** The calculation of a limit from the default to the effective value; the deciding rung is highlighted. */
export function LimitLadder({ limit, base, timeZone }: LimitLadderProps) {
  const { source, tierLimit, isDefault, provenance } = limit;
  return (
    <ol className={classes.ladder}>
      {RUNGS.map((rung) => {
        const steps = provenance.filter((step) => step.source === rung);
        const isBase = rung === (isDefault ? 'DEFAULT' : 'TIER');
        const value = isBase ? tierLimit : steps.at(-1)?.to;
        const isLit = rung === source;
        return (
          <li
            key={rung}
            className={classes.rung}
            data-lit={isLit || undefined}
            data-off={value === undefined || undefined}
          >
            <span className={classes.rungName}>{LIMIT_SOURCE_TEXT[rung]}</span>
            <span className={classes.value}>{value === undefined ? '–' : formatNumber(value)}</span>
            <span className={classes.detail}>
              {isBase && base}
              {steps.map(({ adjustmentId, label, until }) => (
                <span key={adjustmentId}>
                  {label || LIMIT_SOURCE_TEXT[rung]}
                  {until && `, until ${formatInZone(until, timeZone)}`}
                </span>
              ))}
            </span>
            {isLit && <span className={classes.wins}>active</span>}
          </li>
        );
      })}
    </ol>
  );
}

interface EffectiveLimitsProps {
  tenant: TenantDetail;
  actionsFor?: (limit: EffectiveLimitDetail) => ReactNode;
}

export function EffectiveLimits({ tenant, actionsFor }: EffectiveLimitsProps) {
  const limits = tenant.effectiveLimits.toSorted(
    ({ limit: { policy: a } }, { limit: { policy: b } }) =>
      a.api.localeCompare(b.api) || a.name.localeCompare(b.name),
  );
  return (
    <Panel title="Effective limits" note="enforced now" flush>
      {limits.length === 0 && (
        <EmptyState icon={<IconInfinity size={30} stroke={1.5} aria-hidden />} title="No limits">
          The tier has no limits. This tenant can call every operation without limit.
        </EmptyState>
      )}
      <ul className="tg-list">
        {limits.map((effective) => (
          <EffectiveLimit
            // Keyed by name: a new version changes the IDs and must not close an open row.
            key={`${effective.limit.policy.api} ${effective.limit.policy.name}`}
            effective={effective}
            tenant={tenant}
            actions={actionsFor?.(effective)}
          />
        ))}
      </ul>
    </Panel>
  );
}

interface EffectiveLimitProps {
  effective: EffectiveLimitDetail;
  tenant: TenantDetail;
  actions: ReactNode;
}

function EffectiveLimit({ effective, tenant, actions }: EffectiveLimitProps) {
  const [open, setOpen] = useState(false);
  const ladderId = useId();
  const { limit, source, origin } = effective;
  const { api, name, operations } = limit.policy;
  const { tier, tierVersion } = tenant.subscription;
  const from = `from ${LIMIT_SOURCE_TEXT[source].toLowerCase()}`;
  const what = operations.length === 0 ? 'all operations' : operations.join(', ');
  return (
    <li className={classes.limit}>
      <div>
        <div className={classes.limitTitle}>
          <span className={classes.limitRate}>{formatAmount(ruleOf(limit.policy))}</span>
          <span>
            {what}{' '}
            <LinkAnchor to="/apis/$apiKey" params={{ apiKey: api }} c="dimmed" fw={400}>
              {api}
            </LinkAnchor>
          </span>
          <Button
            size="compact-xs"
            variant={source === 'TIER' || source === 'DEFAULT' ? 'default' : 'light'}
            rightSection={
              <IconChevronDown size={12} aria-hidden className={open ? classes.turned : undefined} />
            }
            aria-expanded={open}
            aria-controls={ladderId}
            aria-label={`${from}: how ${name}, ${api} was calculated`}
            onClick={() => setOpen(!open)}
          >
            {from}
          </Button>
        </div>
        <Text size="sm" c="dimmed" mt={2}>
          {limit.summary}
        </Text>
        {effective.clamped && (
          <Text size="sm" c="var(--mantine-color-ochre-7)">
            The result is too large. The largest supported value is enforced.
          </Text>
        )}
      </div>
      <div className={classes.counter}>
        <LimitGauge
          label={`Usage of ${name}, ${api}`}
          policy={limit.policy}
          live={effective.live}
          sharedText="Shared by all tenants; no total for this tenant."
          timeZone={tenant.timeZone}
        />
      </div>
      <Collapse expanded={open} id={ladderId} className={classes.ladderPlace}>
        <LimitLadder
          limit={{ ...effective, isDefault: origin === 'DEFAULT' }}
          base={origin === 'DEFAULT' ? `of API ${api}` : `${tier.name} v${tierVersion.number}`}
          timeZone={tenant.timeZone}
        />
        {actions && <div className={classes.limitActions}>{actions}</div>}
      </Collapse>
    </li>
  );
}

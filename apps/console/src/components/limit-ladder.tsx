import type { LimitPolicy } from '@tollgate/contracts';
import { summarizeLimit } from '@tollgate/contracts/limit-summary';
import type { LimitOrigin, LimitSource } from '../generated/graphql.js';
import { describeAction } from '../lib/audit-text.js';
import { LIMIT_SOURCE_TEXT } from '../lib/labels.js';
import { ruleOf } from '../lib/limit-fields.js';
import { formatNumber } from '../lib/number-format.js';
import { formatAmount } from '../lib/rate.js';
import { formatInZone } from '../lib/time-format.js';
import classes from './limit-ladder.module.css';
import { LinkAnchor } from './links.js';

export interface LadderStep {
  source: LimitSource;
  adjustmentId: string;
  label: string;
  from: number;
  to: number;
  until?: string | null;
}

interface LadderSource {
  adjustmentId: string;
  actor: string;
  reason?: string | null;
  purchaseId?: string | null;
  changeId?: string | null;
}

/** A change that introduced a part of a limit's value. */
interface LadderChange {
  changeId: string;
  actor: string;
  action: string;
  reason?: string | null;
  changeSetId?: string | null;
  changeSetTitle?: string | null;
}

interface LimitLadderProps {
  /** With the effective values. */
  policy: LimitPolicy;
  /** The value in the tier version. */
  tierLimit: number;
  /** `DEFAULT`: the tier version has it from the API's defaults. */
  origin: LimitOrigin;
  provenance: readonly LadderStep[];
  tenantKey: string;
  tier: { key: string; name: string; version: number };
  /** The change that gave the tenant the value of the tier, where it is known. */
  tierChange?: LadderChange | null;
  /** Who made the steps, where it is known. */
  sources?: readonly LadderSource[];
  timeZone: string;
}

/** The calculation of a limit from the tier or default to the effective value, a step per row. */
export function LimitLadder(props: LimitLadderProps) {
  const { policy, tierLimit, origin, provenance, tenantKey, tier, timeZone } = props;
  const isDefault = origin === 'DEFAULT';
  const most = Math.max(1, policy.limit, tierLimit, ...provenance.map(({ to }) => to));
  const share = (value: number) => `${(value / most) * 100}%`;
  const amount = (limit: number) => formatAmount({ ...ruleOf(policy), limit });
  return (
    <ol className={classes.ladder}>
      <li>
        <span className={classes.name}>{LIMIT_SOURCE_TEXT[isDefault ? 'DEFAULT' : 'TIER']}</span>
        <span className={classes.source}>
          {isDefault && (
            <>
              <LinkAnchor to="/apis/$apiKey" params={{ apiKey: policy.api }}>
                API {policy.api}
              </LinkAnchor>
              {', in '}
            </>
          )}
          <LinkAnchor to="/tiers/$tierKey" params={{ tierKey: tier.key }}>
            {tier.name} v{tier.version}
          </LinkAnchor>
          {props.tierChange && (
            <>
              {'. '}
              <ChangeCause change={props.tierChange} />
            </>
          )}
        </span>
        <Track width={share(tierLimit)} />
        <span className={classes.effect}>sets</span>
        <span className={classes.value}>{amount(tierLimit)}</span>
      </li>
      {provenance.map((step) => (
        <li key={step.adjustmentId}>
          <span className={classes.name}>{LIMIT_SOURCE_TEXT[step.source]}</span>
          <span className={classes.source}>
            <StepSource
              step={step}
              tenantKey={tenantKey}
              source={props.sources?.find(({ adjustmentId }) => adjustmentId === step.adjustmentId)}
              timeZone={timeZone}
            />
          </span>
          <Track
            width={share(Math.abs(step.to - step.from))}
            start={share(Math.min(step.from, step.to))}
            tone={step.to < step.from ? 'decreased' : undefined}
          />
          <span className={classes.effect}>{effectOf(step)}</span>
          <span className={classes.value}>{amount(step.to)}</span>
        </li>
      ))}
      <li data-effective>
        <span className={classes.name}>Effective</span>
        <span className={classes.source}>{summarizeLimit(policy)}</span>
        <Track width={share(policy.limit)} />
        <span className={classes.effect} />
        <span className={classes.value}>{amount(policy.limit)}</span>
      </li>
    </ol>
  );
}

/** Who made a change and why, with its links: `ann published a tier: “More for everyone”`. */
export function ChangeCause({ change }: { change: LadderChange }) {
  const { changeId, actor, action, reason, changeSetId, changeSetTitle } = change;
  return (
    <>
      {actor} {describeAction(action)}
      {reason && `: “${reason}”`}
      {changeSetId && (
        <>
          {' in '}
          <LinkAnchor to="/change-sets/$changeSetId" params={{ changeSetId }}>
            {changeSetTitle}
          </LinkAnchor>
        </>
      )}
      {'. '}
      <ChangeLink changeId={changeId} />
    </>
  );
}

const ChangeLink = ({ changeId }: { changeId: string }) => (
  <LinkAnchor to="/audit" search={{ changeId }}>
    View change
  </LinkAnchor>
);

interface StepSourceProps {
  step: LadderStep;
  tenantKey: string;
  source: LadderSource | undefined;
  timeZone: string;
}

/** Links the change, and the purchase or the list with the purchases or adjustments of the tenant. */
function StepSource({ step, tenantKey, source, timeZone }: StepSourceProps) {
  const label = step.label || LIMIT_SOURCE_TEXT[step.source];
  if (step.source === 'WARM_UP') {
    return step.until ? `Warming up until ${formatInZone(step.until, timeZone)}` : 'Warming up';
  }
  const list = PURCHASED.includes(step.source)
    ? '/tenants/$tenantKey/purchases'
    : '/tenants/$tenantKey/exceptions';
  return (
    <>
      {source?.purchaseId ? (
        <LinkAnchor to="/purchases/$purchaseId" params={{ purchaseId: source.purchaseId }}>
          {label}
        </LinkAnchor>
      ) : (
        <LinkAnchor to={list} params={{ tenantKey }}>
          {label}
        </LinkAnchor>
      )}
      {source && ` by ${source.actor}`}
      {step.until && ` until ${formatInZone(step.until, timeZone)}`}
      {source?.reason && `: “${source.reason}”`}
      {source?.changeId && (
        <>
          {'. '}
          <ChangeLink changeId={source.changeId} />
        </>
      )}
    </>
  );
}

const PURCHASED: readonly LimitSource[] = ['UPGRADE', 'TOPUP'];

function effectOf({ from, to }: LadderStep): string {
  if (from === to) return 'no change';
  return to > from ? `adds ${formatNumber(to - from)}` : `removes ${formatNumber(from - to)}`;
}

function Track({
  width,
  start = '0%',
  tone,
}: {
  width: string;
  start?: string;
  tone?: 'decreased' | undefined;
}) {
  return (
    <span className={classes.track} aria-hidden="true">
      <i className={classes.below} style={{ width: start }} />
      <i data-tone={tone} style={{ width }} />
    </span>
  );
}

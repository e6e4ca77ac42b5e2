import { Alert, Badge, Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Impact } from '../lib/impact-fields.js';
import { formatNumber, plural } from '../lib/number-format.js';
import classes from './impact.module.css';
import { LinkAnchor } from './link.js';

/** As many as the server names at most. */
const MOST_NAMED = 20;

/** Whom a change would reach: how many, who gets less, and who used more than that lately. */
export function ImpactSummary({ impact }: { impact: Impact | null }) {
  if (impact === null || impact.tenants === 0) {
    return (
      <Text size="sm" c="dimmed">
        {impact === null ? 'No effective limits change.' : 'No tenants affected.'}
      </Text>
    );
  }
  const { tenants, loosened, tightened } = impact;
  return (
    <>
      <dl className={classes.figures}>
        <Figure label={tenants === 1 ? 'tenant' : 'tenants'} value={tenants} />
        <Figure label="increased" value={loosened} tone="loose" />
        <Figure label="decreased" value={tightened} tone="tight" />
      </dl>
      <Overruns impact={impact} />
      <Names impact={impact} />
    </>
  );
}

/** Holds the place of a summary that is on the way. */
export function ImpactPending() {
  return (
    <div className={classes.pending} aria-busy="true">
      <Skeleton h={58} radius={8} />
      <Text size="sm" c="dimmed">
        Loading affected tenants…
      </Text>
    </div>
  );
}

function Figure({ label, value, tone }: { label: string; value: number; tone?: 'loose' | 'tight' }) {
  return (
    <div data-tone={value > 0 ? tone : undefined}>
      <dt>{label}</dt>
      <dd>{formatNumber(value)}</dd>
    </div>
  );
}

function Overruns({ impact: { overruns } }: { impact: Impact }) {
  if (overruns === null || overruns === undefined) {
    return (
      <Text size="sm" c="dimmed">
        Recent usage could not be checked in time.
      </Text>
    );
  }
  if (overruns.length === 0) return null;
  const count = new Set(overruns.map(({ tenantKey }) => tenantKey)).size;
  return (
    <Alert
      color="ember"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={
        overruns.length < MOST_NAMED
          ? `${plural(count, 'tenant')} recently used more than the new limit allows`
          : `${formatNumber(count)} or more tenants recently used more than the new limit allows`
      }
    >
      <ul className={classes.overruns}>
        {overruns.map(({ tenantKey, tenantName, apiKey, limitName, peak, limit }) => (
          <li key={`${tenantKey} ${apiKey} ${limitName}`}>
            <strong>{tenantName}</strong> peaked at {formatNumber(peak)}; the new limit is{' '}
            {formatNumber(limit)}{' '}
            <Text span size="xs" c="dimmed">
              {apiKey} / {limitName}
            </Text>
          </li>
        ))}
      </ul>
    </Alert>
  );
}

function Names({ impact: { sample, tenants } }: { impact: Impact }) {
  if (sample.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <ul className={classes.tenants} aria-label="Affected tenants" tabIndex={0}>
      {sample.map(({ tenantKey, tenantName, loosened, tightened }) => (
        <li key={tenantKey}>
          <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }} c="inherit">
            {tenantName}
          </LinkAnchor>
          {tightened && (
            <Badge color={loosened ? 'ochre' : 'ember'}>{loosened ? 'mixed' : 'decreased'}</Badge>
          )}
          {loosened && !tightened && <Badge color="gate">increased</Badge>}
        </li>
      ))}
      {tenants > sample.length && (
        <li className={classes.more}>and {formatNumber(tenants - sample.length)} more</li>
      )}
    </ul>
  );
}

import { Alert, Badge, Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { Impact } from '../lib/impact-fields.js';
import { formatNumber } from '../lib/number-format.js';
import classes from './impact.module.css';
import { LinkAnchor } from './link.js';

/** As many as the server names at most. */
const MOST_NAMED = 20;

/** Whom a change would reach: how many, who gets less, and who used more than that lately. */
export function ImpactSummary({ impact }: { impact: Impact | null }) {
  const t = useTranslations('impact');
  if (impact === null || impact.tenants === 0) {
    return (
      <Text size="sm" c="dimmed">
        {impact === null ? t('nothing') : t('nobody')}
      </Text>
    );
  }
  const { tenants, loosened, tightened } = impact;
  return (
    <>
      <dl className={classes.figures}>
        <Figure label={t('tenants', { count: tenants })} value={tenants} />
        <Figure label={t('loosened')} value={loosened} tone="loose" />
        <Figure label={t('tightened')} value={tightened} tone="tight" />
      </dl>
      <Overruns impact={impact} />
      <Names impact={impact} />
    </>
  );
}

/** Holds the place of a summary that is on the way. */
export function ImpactPending() {
  const t = useTranslations('impact');
  return (
    <div className={classes.pending} aria-busy="true">
      <Skeleton h={58} radius={8} />
      <Text size="sm" c="dimmed">
        {t('finding')}
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
  const t = useTranslations('impact');
  if (overruns === null || overruns === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {t('overrunsUnknown')}
      </Text>
    );
  }
  if (overruns.length === 0) return null;
  const count = new Set(overruns.map(({ tenantKey }) => tenantKey)).size;
  return (
    <Alert
      color="ember"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={overruns.length < MOST_NAMED ? t('overrunsTitle', { count }) : t('overrunsTitleMany', { count })}
    >
      <ul className={classes.overruns}>
        {overruns.map(({ tenantKey, tenantName, apiKey, limitName, peak, limit }) => (
          <li key={`${tenantKey} ${apiKey} ${limitName}`}>
            <strong>{tenantName}</strong>{' '}
            {t('overrun', { peak: formatNumber(peak), limit: formatNumber(limit) })}{' '}
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
  const t = useTranslations('impact');
  if (sample.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <ul className={classes.tenants} aria-label={t('affected')} tabIndex={0}>
      {sample.map(({ tenantKey, tenantName, loosened, tightened }) => (
        <li key={tenantKey}>
          <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }} c="inherit">
            {tenantName}
          </LinkAnchor>
          {tightened && (
            <Badge color={loosened ? 'ochre' : 'ember'}>{loosened ? t('mixed') : t('tighter')}</Badge>
          )}
          {loosened && !tightened && <Badge color="gate">{t('looser')}</Badge>}
        </li>
      ))}
      {tenants > sample.length && (
        <li className={classes.more}>{t('andMore', { count: tenants - sample.length })}</li>
      )}
    </ul>
  );
}

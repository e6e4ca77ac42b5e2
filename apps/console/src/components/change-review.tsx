import { Alert, Badge, Button, Drawer, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertCircle, IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import type { Impact } from '../lib/change-revert.js';
import { type UserErrorInfo, UserErrorsError } from '../lib/graphql-request.js';
import type { MutationCall } from '../lib/mutation-text.js';
import { formatNumber, plural } from '../lib/number-format.js';
import type { Permission } from '../lib/viewer.js';
import { GatedButton } from './buttons.js';
import classes from './change-review.module.css';
import { CopyAs } from './copy.js';
import { ReasonField } from './fields.js';
import { LinkAnchor } from './links.js';
import { Hint, Problem } from './page.js';

interface ImpactCounts {
  tenants: number;
  increased: number;
  decreased: number;
}

/** Summarizes the impact of a dry run. */
export function ImpactText({ impact }: { impact: ImpactCounts | null | undefined }) {
  if (impact === undefined) return 'Loading affected tenants…';
  if (impact === null || impact.tenants === 0) return 'No tenant limits change.';
  const { tenants, increased, decreased } = impact;
  return `${plural(tenants, 'tenant')} affected: ${formatNumber(increased)} increased, ${formatNumber(decreased)} decreased.`;
}

/** The most overruns that the server lists. */
const MOST_NAMED = 20;

/** Impact of a change: affected tenants, decreases and recent usage above the new limits. */
export function ImpactSummary({ impact }: { impact: Impact | null }) {
  if (impact === null || impact.tenants === 0) {
    return <Hint>{impact === null ? 'No effective limits change.' : 'No tenants affected.'}</Hint>;
  }
  const { tenants, increased, decreased } = impact;
  return (
    <>
      <dl className={classes.figures}>
        <Figure label={tenants === 1 ? 'tenant' : 'tenants'} value={tenants} />
        <Figure label="increased" value={increased} tone="loose" />
        <Figure label="decreased" value={decreased} tone="tight" />
      </dl>
      <Overruns impact={impact} />
      <Names impact={impact} />
    </>
  );
}

export function ImpactPending() {
  return (
    <Stack gap={8} mih={108} aria-busy="true">
      <Skeleton h={58} radius={8} />
      <Hint>Loading affected tenants…</Hint>
    </Stack>
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
    return <Hint>Recent usage could not be checked in time.</Hint>;
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
      <Stack component="ul" className="tg-list" gap={3} pt={4} fz="sm">
        {overruns.map(({ tenantKey, tenantName, apiKey, limitName, peak, limit }) => (
          <li key={`${tenantKey} ${apiKey} ${limitName}`}>
            <strong>{tenantName}</strong> peaked at {formatNumber(peak)}; the new limit is{' '}
            {formatNumber(limit)}{' '}
            <Text span size="xs" c="dimmed">
              {apiKey} / {limitName}
            </Text>
          </li>
        ))}
      </Stack>
    </Alert>
  );
}

function Names({ impact: { sample, tenants } }: { impact: Impact }) {
  if (sample.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <ul className={classes.tenants} aria-label="Affected tenants" tabIndex={0}>
      {sample.map(({ tenantKey, tenantName, increased, decreased }) => (
        <li key={tenantKey}>
          <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }} c="inherit">
            {tenantName}
          </LinkAnchor>
          {decreased && (
            <Badge color={increased ? 'ochre' : 'ember'}>{increased ? 'mixed' : 'decreased'}</Badge>
          )}
          {increased && !decreased && <Badge color="gate">increased</Badge>}
        </li>
      ))}
      {tenants > sample.length && (
        <li className="tg-soft">and {formatNumber(tenants - sample.length)} more</li>
      )}
    </ul>
  );
}

/** Result of a mutation or its dry run. */
export interface ReviewedOutcome {
  /** Null in a dry run, and if no policy changes. */
  changeId?: string | null;
  impact?: Impact | null;
  userErrors: readonly UserErrorInfo[];
  /** Findings that do not block the change. */
  warnings?: ReadonlyArray<{ message: string; advice: string }>;
}

export interface ChangeReviewProps<O extends ReviewedOutcome> {
  title: string;
  permission: Permission;
  tenantKey?: string;
  /** The mutation without `reason` and `dryRun`. */
  call: MutationCall;
  /** The change as part of a configuration file. */
  config?: object | undefined;
  /** Sends the mutation; a dry run changes nothing. */
  send: (terms: { reason: string | null; dryRun: boolean }) => Promise<O>;
  /** Defaults to "Apply", with the number of affected tenants. */
  applyLabel?: string;
  /** Disables the button. */
  incomplete?: boolean;
  danger?: boolean;
  /** Before and after values, and further options. */
  children?: ReactNode;
  /** Next to the button: an alternative, such as adding to a change set. */
  aside?: (reason: string | null) => ReactNode;
  onClose: () => void;
  onApplied: (outcome: O) => void;
  /** Called when the server rejects the change. */
  onRefused?: (userErrors: readonly UserErrorInfo[]) => void;
  /** Called with the errors of a dry run, empty when there are none. Must be referentially stable. */
  onTried?: (userErrors: readonly UserErrorInfo[]) => void;
}

/** Reviews a policy change before it is applied: values, affected tenants and reason. */
export function ChangeReview<O extends ReviewedOutcome>(props: ChangeReviewProps<O>) {
  const { title, call, config, send, children, aside, onClose, onTried } = props;
  const { danger = false, incomplete = false } = props;
  const [reason, setReason] = useState('');
  const trimmed = reason.trim() || null;
  const trial = useQuery({
    queryKey: ['dry-run', call],
    queryFn: () => send({ reason: null, dryRun: true }),
    enabled: !incomplete,
    gcTime: 0,
    retry: false,
  });
  const refusedTrial = trial.data?.userErrors;
  useEffect(() => {
    if (refusedTrial) onTried?.(refusedTrial);
  }, [refusedTrial, onTried]);
  const apply = useApply(props);
  const refusals = apply.error instanceof UserErrorsError ? apply.error.userErrors : refusedTrial;
  const failure = refusals?.length
    ? refusals.map(({ message }) => message).join(' ')
    : (apply.error ?? trial.error)?.message;
  const impact = trial.data?.impact ?? null;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={580}
      padding="lg"
      title={<Text fw={600}>{title}</Text>}
    >
      <Stack gap="md">
        {children}
        {!incomplete && (trial.isPending ? <ImpactPending /> : !failure && <ImpactSummary impact={impact} />)}
        <Warnings warnings={trial.data?.warnings ?? []} />
        <ReasonField value={reason} onChange={setReason} />
        <Problem title="Not applied">{failure}</Problem>
        <Group justify="space-between" gap="xs">
          <CopyAs call={{ ...call, input: { ...call.input, reason: trimmed } }} config={config} />
          <Group justify="flex-end" gap="xs" ml="auto">
            <Button variant="default" size="sm" onClick={onClose}>
              Cancel
            </Button>
            {aside?.(trimmed)}
            <GatedButton
              permission={props.permission}
              {...(props.tenantKey === undefined ? {} : { tenantKey: props.tenantKey })}
              size="sm"
              {...(danger ? { color: 'ember' } : {})}
              loading={apply.isPending}
              disabled={incomplete || (refusedTrial?.length ?? 0) > 0}
              onClick={() => apply.mutate(trimmed)}
            >
              {props.applyLabel ??
                (impact?.tenants ? `Apply to ${plural(impact.tenants, 'tenant')}` : 'Apply')}
            </GatedButton>
          </Group>
        </Group>
      </Stack>
    </Drawer>
  );
}

function useApply<O extends ReviewedOutcome>({ send, onApplied, onRefused }: ChangeReviewProps<O>) {
  return useMutation({
    mutationFn: async (reason: string | null) => {
      const outcome = await send({ reason, dryRun: false });
      if (outcome.userErrors.length > 0) throw new UserErrorsError(outcome.userErrors);
      return outcome;
    },
    onSuccess: onApplied,
    onError: (error) => {
      if (error instanceof UserErrorsError) onRefused?.(error.userErrors);
    },
  });
}

function Warnings({ warnings }: { warnings: NonNullable<ReviewedOutcome['warnings']> }) {
  if (warnings.length === 0) return null;
  return (
    <Alert color="ochre" icon={<IconAlertCircle size={18} aria-hidden />} title="Warnings">
      <Stack gap={4} component="ul" className="tg-list">
        {warnings.map(({ message, advice }) => (
          <Text key={message} component="li" size="sm">
            {message}{' '}
            <Text span size="sm" c="dimmed">
              {advice}
            </Text>
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}

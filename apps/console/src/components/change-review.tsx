import { Alert, Anchor, Button, Drawer, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle, IconLock } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Impact } from '../lib/change-revert.js';
import { type UserErrorInfo, UserErrorsError } from '../lib/graphql-request.js';
import { effectOf } from '../lib/limit-diff.js';
import { useSingleMutation } from '../lib/mutation.js';
import type { MutationCall } from '../lib/mutation-text.js';
import { formatNumber, formatPart, plural } from '../lib/number-format.js';
import { canSimulate } from '../lib/simulation.js';
import { type Permission, usePermission } from '../lib/viewer.js';
import { GatedButton } from './buttons.js';
import classes from './change-review.module.css';
import { CopyAs } from './copy.js';
import { DataTable, NumericCell, numeric } from './data-table.js';
import { EffectBadge } from './differences.js';
import { ReasonField } from './fields.js';
import { LinkAnchor } from './links.js';
import { Hint } from './page.js';
import { SimulationPart } from './simulation-part.js';
import { focusUnreadable, UnlessUnreadable } from './typed-field.js';

/** A dry run starts when typing pauses for this long. */
const TYPING_MS = 300;

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

/** Effect of a change on recent usage, then the affected tenants. */
export function ImpactSummary({ impact }: { impact: Impact | null }) {
  if (impact === null || impact.tenants === 0) {
    return <Hint>{impact === null ? 'No effective limits change.' : 'No tenants affected.'}</Hint>;
  }
  return (
    <div className={classes.impact}>
      <p className={classes.replay}>
        <Replay impact={impact} />
      </p>
      <Tenants impact={impact} />
    </div>
  );
}

/** Recent usage replayed against the new limits, as a sentence. */
function Replay({ impact }: { impact: Impact }) {
  const { tenants, decreased, overruns } = impact;
  if (decreased === 0) return <ImpactText impact={impact} />;
  if (!overruns) return 'Recent usage could not be checked in time.';
  if (overruns.length === 0)
    return `Recent usage of ${plural(tenants, 'affected tenant')} stays within the new limits.`;
  const sum = (field: 'excess' | 'units') => overruns.reduce((total, one) => total + one[field], 0);
  const days = Math.max(...overruns.map((one) => one.days));
  const count = new Set(overruns.map(({ tenantKey }) => tenantKey)).size;
  return (
    <>
      This change would have denied{' '}
      <strong>
        {formatNumber(sum('excess'))} of {formatNumber(sum('units'))} units
      </strong>{' '}
      in the last {days === 1 ? '24 h' : plural(days, 'day')} ({formatPart(sum('excess'), sum('units'))}), for{' '}
      <strong>
        {formatNumber(count)} of {plural(tenants, 'affected tenant')}
      </strong>
      .
    </>
  );
}

const PEAK_COLUMNS = [numeric('Recent peak'), numeric('New limit'), numeric('Denied')];

/** Affected tenants by name: those above the new limits first. */
function Tenants({ impact: { sample, overruns, tenants } }: { impact: Impact }) {
  const above = overruns ?? [];
  const others = sample.filter(({ tenantKey }) => above.every((one) => one.tenantKey !== tenantKey));
  const named = new Set([...above, ...others].map(({ tenantKey }) => tenantKey)).size;
  if (named === 0) return null;
  return (
    <>
      <DataTable
        label="Affected tenants"
        columns={['Affected tenant', 'Limits', ...(above.length > 0 ? PEAK_COLUMNS : [])]}
      >
        {above.map(({ tenantKey, tenantName, apiKey, limitName, peak, limit, excess }) => (
          <tr key={`${tenantKey} ${apiKey} ${limitName}`}>
            <th scope="row">
              <TenantName tenantKey={tenantKey} tenantName={tenantName} />
            </th>
            <td>
              {limitName} <span className="tg-soft">{apiKey}</span>
            </td>
            <NumericCell>
              <span className={classes.above}>{formatNumber(peak)}</span>
            </NumericCell>
            <NumericCell>{formatNumber(limit)}</NumericCell>
            <NumericCell>{formatNumber(excess)}</NumericCell>
          </tr>
        ))}
        {others.map(({ tenantKey, tenantName, increased, decreased }) => (
          <tr key={tenantKey}>
            <th scope="row">
              <TenantName tenantKey={tenantKey} tenantName={tenantName} />
            </th>
            <td>
              <EffectBadge effect={effectOf(increased, decreased)} />
            </td>
            {above.length > 0 && PEAK_COLUMNS.map(({ name }) => <NumericCell key={name}>–</NumericCell>)}
          </tr>
        ))}
      </DataTable>
      {tenants > named && <Hint>and {formatNumber(tenants - named)} more</Hint>}
    </>
  );
}

function TenantName({ tenantKey, tenantName }: { tenantKey: string; tenantName: string }) {
  return (
    <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }} c="inherit">
      {tenantName}
    </LinkAnchor>
  );
}

function ImpactPending() {
  return (
    <Stack gap={8} mih={108} aria-busy="true">
      <Skeleton h={58} radius={8} />
      <Hint>Loading affected tenants…</Hint>
    </Stack>
  );
}

/** Result of a mutation or its dry run. */
export interface ReviewedOutcome {
  /** Null in a dry run, and if no policy changes. */
  changeId?: string | null;
  impact?: Impact | null;
  userErrors: readonly UserErrorInfo[];
  /** Findings that do not block the change. */
  warnings?: ReadonlyArray<{ code?: string; message: string; advice: string }>;
}

export interface ChangeReviewProps<O extends ReviewedOutcome> {
  title: string;
  permission: Permission;
  tenantKey?: string;
  /** The mutation without `reason` and `dryRun`. */
  call: MutationCall;
  /** All mutations of the change; defaults to `call`. */
  calls?: readonly MutationCall[];
  /** The change as part of a configuration file. */
  config?: object | undefined;
  /** Sends the mutation; a dry run changes nothing. */
  send: (terms: { reason: string | null; dryRun: boolean }) => Promise<O>;
  /** Defaults to "Apply", with the number of affected tenants. */
  applyLabel?: string;
  /** Disables the button. */
  incomplete?: boolean;
  /** Names of the fields in `children`. The first has the focus, and errors link to their fields. */
  fields?: readonly string[];
  reasonRequired?: boolean;
  /** The effect of a dry run; defaults to the affected tenants. */
  effect?: (outcome: O) => ReactNode;
  danger?: boolean;
  /** The changed values, or the fields to change. */
  children?: ReactNode;
  /** Options of the change, below its effect. */
  options?: ReactNode;
  /** Next to the button: an alternative, such as adding to a change set. */
  aside?: (reason: string | null) => ReactNode;
  onClose: () => void;
  onApplied: (outcome: O) => void;
  /** Called when the server rejects the change. */
  onRefused?: (userErrors: readonly UserErrorInfo[]) => void;
  /** Called with the errors of a dry run, empty when there are none. Must be referentially stable. */
  onTried?: (userErrors: readonly UserErrorInfo[]) => void;
}

/** Reviews a policy change before it is applied: values, affected tenants, warnings and reason. */
export function ChangeReview<O extends ReviewedOutcome>(props: ChangeReviewProps<O>) {
  const { title, call, config, children, options, aside, onClose, onTried } = props;
  const { danger = false, incomplete = false, reasonRequired = false, fields, calls = [call] } = props;
  const { allowed: readsTraffic } = usePermission('traffic:read');
  const [reason, setReason] = useState('');
  const [isReasonMissing, setReasonMissing] = useState(false);
  const trimmed = reason.trim() || null;
  const content = useRef<HTMLElement | null>(null);
  const footer = useRef<HTMLElement>(null);
  const trial = useTrial(props);
  const apply = useApply(props);
  const refusedTrial = incomplete ? undefined : trial.data?.userErrors;
  useEffect(() => {
    if (refusedTrial) onTried?.(refusedTrial);
  }, [refusedTrial, onTried]);
  const refusals = apply.error instanceof UserErrorsError ? apply.error.userErrors : refusedTrial;
  const failure = refusals?.length ? undefined : (apply.error ?? trial.error)?.message;
  const isBlocked = Boolean(refusals?.length || failure);
  const impact = trial.data?.impact ?? null;
  const submit = () => {
    if (focusUnreadable(content.current)) return;
    if (!reasonRequired || trimmed !== null) return apply.mutate(trimmed);
    setReasonMissing(true);
    footer.current?.querySelector('textarea')?.focus();
  };
  const blocked = (
    <Blocked
      refusals={refusals ?? []}
      failure={failure}
      onClose={onClose}
      {...(fields && { fields, onFocus: (message: string) => focusError(content.current, message) })}
    />
  );
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={720}
      title={<Text fw={600}>{title}</Text>}
      classNames={{ content: classes.drawer ?? '', header: classes.header ?? '', body: classes.body ?? '' }}
    >
      {/* Without fields focused first: arrow keys scroll the review, Tab leads to its links and to the reason. */}
      <section
        ref={(section) => {
          content.current = section;
          if (fields) markFirstField(section);
        }}
        className={classes.content}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        data-autofocus={fields === undefined || undefined}
        aria-label={title}
      >
        {!fields && blocked}
        {children}
        {/* Below the fields, which stay where they are while errors come and go. */}
        {fields && blocked}
        {!isBlocked && (
          <Part title="Effect">
            {incomplete && fields && <Hint>Change or complete the fields to see the effect.</Hint>}
            {!incomplete && <Effect outcome={trial.data} effect={props.effect} />}
          </Part>
        )}
        {!isBlocked && !incomplete && readsTraffic && calls.every(canSimulate) && (
          <Part title="Recorded traffic">
            <SimulationPart key={JSON.stringify(calls)} draft={{ changes: calls }} />
          </Part>
        )}
        {!incomplete && <Warnings warnings={trial.data?.warnings ?? []} />}
        {options}
        <div>
          <CopyAs call={{ ...call, input: { ...call.input, reason: trimmed } }} config={config} />
        </div>
      </section>
      <footer ref={footer} className={classes.footer}>
        <div className={classes.reason}>
          <ReasonField
            value={reason}
            onChange={setReason}
            compact
            required={reasonRequired}
            error={isReasonMissing && trimmed === null ? 'Enter a reason, for the audit trail' : undefined}
          />
        </div>
        <Group gap="xs" justify="flex-end" className={classes.buttons}>
          <Button variant="default" size="sm" className={classes.cancel ?? ''} onClick={onClose}>
            Cancel
          </Button>
          {aside && <UnlessUnreadable fieldsOf={() => content.current}>{aside(trimmed)}</UnlessUnreadable>}
          <GatedButton
            permission={props.permission}
            {...(props.tenantKey === undefined ? {} : { tenantKey: props.tenantKey })}
            size="sm"
            {...(danger ? { color: 'ember' } : {})}
            loading={apply.isPending}
            disabled={incomplete || (refusedTrial?.length ?? 0) > 0}
            onClick={submit}
          >
            {props.applyLabel ?? (impact?.tenants ? `Apply to ${plural(impact.tenants, 'tenant')}` : 'Apply')}
          </GatedButton>
        </Group>
      </footer>
    </Drawer>
  );
}

/** The dry run of the change, while the fields change as well. */
function useTrial<O extends ReviewedOutcome>(props: ChangeReviewProps<O>) {
  const { call, send, incomplete = false, reasonRequired = false } = props;
  const [tried] = useDebouncedValue(JSON.stringify(call), TYPING_MS);
  return useQuery({
    queryKey: ['dry-run', tried],
    queryFn: () => send({ reason: reasonRequired ? 'Dry run' : null, dryRun: true }),
    enabled: !incomplete,
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
}

interface EffectProps<O> {
  outcome: O | undefined;
  effect: ((outcome: O) => ReactNode) | undefined;
}

function Effect<O extends ReviewedOutcome>({ outcome, effect }: EffectProps<O>) {
  if (outcome === undefined) return <ImpactPending />;
  return effect ? effect(outcome) : <ImpactSummary impact={outcome.impact ?? null} />;
}

/** The drawer focuses the first field, unless another one is marked. */
function markFirstField(content: HTMLElement | null): void {
  if (content?.querySelector('[data-autofocus]') === null)
    content.querySelector('input:not([type="hidden"]), textarea')?.setAttribute('data-autofocus', '');
}

/** Focuses the field that shows an error; Mantine derives the id of the error from that of the input. */
function focusError(content: HTMLElement | null, message: string): void {
  const shown = [...(content?.querySelectorAll('[id$="-error"]') ?? [])];
  const error = shown.find(({ textContent }) => textContent === message);
  if (error) document.getElementById(error.id.replace(/-error$/, ''))?.focus();
}

/** A titled part of a review. */
export function Part({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <Group justify="space-between" mb={8} gap={8}>
        <Title order={3} fz="0.9375rem">
          {title}
        </Title>
        {note && (
          <Text span size="xs" c="dimmed">
            {note}
          </Text>
        )}
      </Group>
      {children}
    </div>
  );
}

function useApply<O extends ReviewedOutcome>({ send, onApplied, onRefused }: ChangeReviewProps<O>) {
  return useSingleMutation({
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

interface BlockedProps {
  refusals: readonly UserErrorInfo[];
  failure: string | undefined;
  onClose: () => void;
  fields?: readonly string[];
  /** Focuses the field of an error. */
  onFocus?: (message: string) => void;
}

/** How to unblock a change that was rejected with a code, and where. */
const REMEDIES: Partial<Record<UserErrorInfo['code'], { text: string; link: LinkProps; label: string }>> = {
  CONFLICT: {
    text: 'Close this review, look at the other change, then review yours again.',
    link: { to: '/audit' },
    label: 'Recent changes',
  },
  IN_USE: {
    text: 'Remove it from the tiers that use it first.',
    link: { to: '/tiers' },
    label: 'Tiers',
  },
};

/** What blocks the change, how to unblock it, and where. */
function Blocked({ refusals, failure, onClose, fields = [], onFocus }: BlockedProps) {
  if (refusals.length === 0 && failure === undefined) return null;
  const remedies = [...new Set(refusals.map(({ code }) => REMEDIES[code]))].filter(
    (one) => one !== undefined,
  );
  return (
    <Alert role="alert" color="ember" icon={<IconLock size={18} aria-hidden />} title="Cannot be applied">
      <ul className="tg-list">
        {refusals.map(({ message, field }) => (
          <li key={`${field?.join('.')} ${message}`}>
            {field?.some((part) => fields.includes(part)) ? (
              <Anchor
                component="button"
                type="button"
                inherit
                ta="left"
                underline="always"
                onClick={() => onFocus?.(message)}
              >
                {message}
              </Anchor>
            ) : (
              message
            )}
          </li>
        ))}
        {failure && <li>{failure}</li>}
        {remedies.map(({ text, link, label }) => (
          <li key={text}>
            {text}{' '}
            <LinkAnchor {...link} inherit underline="always">
              {label}
            </LinkAnchor>
          </li>
        ))}
      </ul>
      {refusals.some(({ field }) => field?.[0] === 'limits') && (
        <Button variant="default" size="compact-sm" mt={6} onClick={onClose}>
          Fix the limits
        </Button>
      )}
    </Alert>
  );
}

type Warning = NonNullable<ReviewedOutcome['warnings']>[number];

/** One line per kind of warning; its findings are collapsed. */
function Warnings({ warnings }: { warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  const kinds = Map.groupBy(warnings, ({ code, advice }) => code ?? advice);
  return (
    <Part title="Warnings" note={`${formatNumber(warnings.length)}, none blocks the change`}>
      <div className={classes.warnings}>
        {[...kinds.values()].map((same) => (
          <details key={same[0]?.message}>
            <summary>
              <IconAlertTriangle size={15} aria-hidden />
              <span>
                {same[0]?.message}
                {same.length > 1 && (
                  <span className="tg-soft"> and {formatNumber(same.length - 1)} more</span>
                )}
              </span>
            </summary>
            <ul className="tg-list">
              {same.map(({ message, advice }) => (
                <li key={message}>
                  {same.length > 1 && `${message} `}
                  <span className="tg-soft">{advice}</span>
                </li>
              ))}
            </ul>
          </details>
        ))}
      </div>
    </Part>
  );
}

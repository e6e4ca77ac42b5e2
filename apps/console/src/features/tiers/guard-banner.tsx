import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconShield, IconShieldCheck, IconShieldOff, IconShieldX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { GatedButton } from '../../components/buttons.js';
import { Ago } from '../../components/figures.js';
import { Failure } from '../../components/page.js';
import { useInputMutation } from '../../lib/mutation.js';
import { formatNumber, formatPercent, plural } from '../../lib/number-format.js';
import { formatClock } from '../../lib/time-format.js';
import { usePermission } from '../../lib/viewer.js';
import {
  type Guard,
  guardQuery,
  PublicationGuardCancelDocument,
  type TierDetail,
  tiersQuery,
} from './api.js';

const LOOKS = {
  WATCHING: { color: 'gray', icon: IconShield },
  PASSED: { color: 'gate', icon: IconShieldCheck },
  REVERTED: { color: 'ember', icon: IconShieldX },
  UNDECIDED: { color: 'ochre', icon: IconShieldOff },
} as const;

/** The guard of the published version, or of the one that it reverted; nothing without one. */
export function GuardBanner({ tier }: { tier: TierDetail }) {
  const { allowed } = usePermission('usage:read');
  const query = useQuery({ ...guardQuery(tier.key, tier.published?.number), enabled: allowed });
  const cancel = useInputMutation(PublicationGuardCancelDocument, tiersQuery.queryKey);
  const guard = query.data;
  if (!guard)
    return query.error ? <Failure error={query.error} onRetry={() => void query.refetch()} /> : null;
  if (!concerns(guard, tier) || !(guard.state in LOOKS)) return null;
  const { color, icon: Icon } = LOOKS[guard.state as keyof typeof LOOKS];
  return (
    <Alert color={color} icon={<Icon size={18} aria-hidden />} title={titleOf(guard)}>
      <Stack gap={4} align="flex-start">
        <Numbers guard={guard} />
        {guard.message && (
          <Text size="sm">
            {guard.state === 'WATCHING' ? 'Not decided yet' : 'Not decided'}: {guard.message}
          </Text>
        )}
        {guard.state === 'WATCHING' && (
          <Group gap="xs" mt={4}>
            <GatedButton
              permission="tiers:write"
              variant="default"
              loading={cancel.isPending}
              onClick={() => cancel.mutate({ id: guard.id })}
            >
              Cancel guard
            </GatedButton>
            <Text size="sm" c="dimmed">
              Until {formatClock(guard.endsAt)}
              {guard.checkedAt && (
                <>
                  {' '}
                  · checked <Ago at={guard.checkedAt} />
                </>
              )}
            </Text>
          </Group>
        )}
        {cancel.error && <Text size="sm">Not canceled: {cancel.error.message}</Text>}
      </Stack>
    </Alert>
  );
}

/** Whether the guard is about the current version: a revert publishes the next one. */
function concerns({ state, versionNumber }: Guard, { published }: TierDetail): boolean {
  return published?.number === versionNumber + (state === 'REVERTED' ? 1 : 0);
}

function titleOf({ state, versionNumber }: Guard): string {
  const version = `v${formatNumber(versionNumber)}`;
  if (state === 'WATCHING') return `Guard watches ${version}`;
  if (state === 'PASSED') return `${version} passed its guard`;
  return state === 'REVERTED' ? `Guard reverted ${version}` : `Guard of ${version} ended undecided`;
}

function Numbers({ guard: { state, figures, maxDenialRise, minDecisions } }: { guard: Guard }) {
  const share = (percent: number) => formatPercent(percent / 100);
  const { affected, pinned, worst = [] } = figures ?? {};
  return (
    <>
      {state === 'WATCHING' && (
        <Text size="sm">
          Reverts if the denied share rises by more than {plural(maxDenialRise, 'percentage point')}. Decides
          on {plural(minDecisions, 'decision')} or more.
        </Text>
      )}
      {affected && affected.decisions > 0 && (
        <Text size="sm">
          Denied {share(affected.before)} before, {share(affected.after)} after:{' '}
          {plural(affected.decisions, 'decision')} of {plural(affected.tenants, 'tenant')}.
        </Text>
      )}
      {pinned && (
        <Text size="sm">
          Tenants kept on an earlier version: {share(pinned.before)} before, {share(pinned.after)} after.
        </Text>
      )}
      {worst.length > 0 && state !== 'PASSED' && (
        <Text size="sm">
          Most affected:{' '}
          {worst
            .map(({ tenantKey, before, after }) => `${tenantKey} (${share(before)} to ${share(after)})`)
            .join(', ')}
        </Text>
      )}
    </>
  );
}

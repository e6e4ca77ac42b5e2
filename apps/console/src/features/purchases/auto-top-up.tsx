import { Alert, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlayerPause } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { askToConfirm } from '../../components/confirmation.js';
import { ActionsCell, DataTable, hidden } from '../../components/data-table.js';
import { FillBar, Numbers } from '../../components/figures.js';
import { type DotTone, KeyText, StateDot } from '../../components/marks.js';
import { Panel, QueryFallback } from '../../components/page.js';
import type { OfferFieldsFragment } from '../../generated/graphql.js';
import { useLimitTitle } from '../../lib/customer-page.js';
import { notifyDone, notifyFailure } from '../../lib/graphql-request.js';
import { useInputMutation } from '../../lib/mutation.js';
import { formatMoney } from '../../lib/number-format.js';
import { formatDayInZone } from '../../lib/time-format.js';
import { useTenantPermissions } from '../../lib/viewer.js';
import {
  type AutoTopUp,
  AutoTopUpTurnOffDocument,
  autoTopUpsKey,
  autoTopUpsQuery,
  describeThreshold,
  paymentCardsQuery,
  type Quota,
  topUpsOf,
} from './auto-top-up-api.js';
import { AutoTopUpDialog } from './auto-top-up-dialog.js';
import classes from './purchases.module.css';

const STOP_TEXT: Record<NonNullable<AutoTopUp['stopReason']>, string> = {
  CUSTOMER: 'Turned off',
  OPERATOR: 'Turned off by the operator of this service',
  PAYMENT_FAILED: 'Turned off: the payment failed',
  TERMS_CHANGED: 'Paused: the offer has changed',
  NOT_FOR_SALE: 'Paused: the offer cannot be bought',
  DISPUTED: 'Paused: a payment is disputed',
};

const nameOf = ({ apiKey, limitName }: Quota) => `${apiKey}/${limitName}`;

interface AutoTopUpsProps {
  tenantKey: string;
  /** Monthly quotas of the tenant. */
  quotas: readonly Quota[];
  /** Offers on sale for the tenant's tier. */
  offers: readonly OfferFieldsFragment[];
  /** `api/limit` whose settings to open: the viewer returns from saving a card. */
  opened: string | undefined;
  onClose: () => void;
}

/** Auto top-ups of a customer's quotas; nothing without a quota and an offer for it. */
export function AutoTopUps({ tenantKey, quotas, offers, opened, onClose }: AutoTopUpsProps) {
  const query = useQuery(autoTopUpsQuery(tenantKey));
  const mayBuy = useTenantPermissions(tenantKey).has('purchases:write');
  const { data: cards } = useQuery({ ...paymentCardsQuery(tenantKey), enabled: mayBuy });
  const [editing, setEditing] = useState<string>();
  const titleOf = useLimitTitle();
  const existing = query.data ?? [];
  const rows = quotas
    .map((quota) => ({ quota, autoTopUp: existing.find((one) => nameOf(one) === nameOf(quota)) }))
    .filter(({ quota, autoTopUp }) => autoTopUp !== undefined || topUpsOf(offers, quota).length > 0);
  if (rows.length === 0) return null;
  const isUnavailable = cards?.providers.length === 0;
  const shown = rows.find(({ quota }) => nameOf(quota) === (editing ?? opened));
  return (
    <Panel title="Auto top-up">
      <QueryFallback query={query} rows={2} />
      {isUnavailable && (
        <Text size="sm" c="dimmed">
          Auto top-up needs card payments, and this service bills by invoice. Buy top-ups before you run out,
          or request a higher limit.
        </Text>
      )}
      {query.data && !isUnavailable && (
        <ul className={`tg-list ${classes.autoTopUps}`}>
          {rows.map(({ quota, autoTopUp }) => (
            <li key={nameOf(quota)}>
              <Text size="sm" fw={500}>
                {titleOf?.(quota.apiKey, quota.limitName) ?? nameOf(quota)}
              </Text>
              <AutoTopUpState
                tenantKey={tenantKey}
                autoTopUp={autoTopUp}
                onEdit={() => setEditing(nameOf(quota))}
              />
            </li>
          ))}
        </ul>
      )}
      {shown && cards && (
        <AutoTopUpDialog
          tenantKey={tenantKey}
          quota={shown.quota}
          autoTopUp={shown.autoTopUp}
          offers={topUpsOf(offers, shown.quota)}
          cards={cards}
          onClose={() => {
            setEditing(undefined);
            onClose();
          }}
        />
      )}
    </Panel>
  );
}

interface AutoTopUpStateProps {
  tenantKey: string;
  autoTopUp: AutoTopUp | undefined;
  onEdit: () => void;
}

function AutoTopUpState({ tenantKey, autoTopUp, onEdit }: AutoTopUpStateProps) {
  const turnOff = useTurnOff(tenantKey);
  const edit = (label: string) => (
    <GatedButton
      permission="purchases:write"
      tenantKey={tenantKey}
      variant="default"
      size="xs"
      w="fit-content"
      onClick={onEdit}
    >
      {label}
    </GatedButton>
  );
  if (autoTopUp === undefined || autoTopUp.status === 'OFF') {
    const hasFailed = autoTopUp?.stopReason === 'PAYMENT_FAILED';
    return (
      <>
        {hasFailed ? (
          <Stopped autoTopUp={autoTopUp} icon={<IconAlertTriangle size={18} aria-hidden />} />
        ) : (
          <Text size="sm" c="dimmed">
            {autoTopUp?.stopReason === 'OPERATOR'
              ? `${STOP_TEXT.OPERATOR}.`
              : 'Off. Buy a top-up automatically when little is left.'}
          </Text>
        )}
        {edit(autoTopUp === undefined ? 'Set up' : 'Turn on')}
      </>
    );
  }
  const { offer, currency, capMinor, spentMinor, cardLabel, isCapReached, hasOpenOrder, resetsAt } =
    autoTopUp;
  const isPaused = autoTopUp.status === 'PAUSED';
  const resets = `${formatDayInZone(resetsAt, 'UTC')} UTC`;
  return (
    <>
      {isPaused && <Stopped autoTopUp={autoTopUp} icon={<IconPlayerPause size={18} aria-hidden />} />}
      <Text size="sm">
        {isPaused ? 'Bought' : 'Buys'} {offer.name} for{' '}
        {formatMoney(isPaused ? autoTopUp.agreedPriceMinor : offer.priceMinor, currency)} when{' '}
        {describeThreshold(autoTopUp)}. {cardLabel}.
      </Text>
      <div>
        <Numbers>
          <span>
            <strong>{formatMoney(spentMinor, currency)}</strong> of {formatMoney(capMinor, currency)} this
            month
          </span>
          <span>Resets {resets}</span>
        </Numbers>
        <FillBar label="Ordered of the cap" share={spentMinor / capMinor} />
      </div>
      {!isPaused && isCapReached && (
        <Alert color="ochre" icon={<IconAlertTriangle size={18} aria-hidden />} title="Cap reached">
          Nothing more is bought before {resets}. Raise the cap to continue.
        </Alert>
      )}
      {hasOpenOrder && (
        <Text size="sm" c="dimmed" role="status">
          Charging your card…
        </Text>
      )}
      <Group gap={8}>
        {edit(isPaused ? 'Review and confirm' : 'Change')}
        <GatedButton
          permission="purchases:write"
          tenantKey={tenantKey}
          variant="subtle"
          color="ember"
          size="xs"
          onClick={() => turnOff(autoTopUp)}
        >
          Turn off
        </GatedButton>
      </Group>
    </>
  );
}

function Stopped({ autoTopUp: { stopReason, stopDetail }, icon }: { autoTopUp: AutoTopUp; icon: ReactNode }) {
  const title = stopReason ? STOP_TEXT[stopReason] : undefined;
  return (
    <Alert color="ember" icon={icon} title={title}>
      {stopDetail}
      {stopReason === 'PAYMENT_FAILED' &&
        ' You were not charged. Choose another card, or buy a top-up yourself.'}
    </Alert>
  );
}

/** Asks, then turns an auto top-up off. */
function useTurnOff(tenantKey: string) {
  const { mutate } = useInputMutation(AutoTopUpTurnOffDocument, autoTopUpsKey);
  return ({ id, hasOpenOrder }: AutoTopUp) =>
    askToConfirm({
      title: 'Turn off auto top-up?',
      text: hasOpenOrder
        ? 'The order that is being paid is completed. Nothing more is bought.'
        : 'Nothing more is bought automatically. Units that were bought stay.',
      confirm: 'Turn off',
      onConfirm: () =>
        mutate(
          { tenantKey, id },
          {
            onSuccess: () => notifyDone('Auto top-up is off'),
            onError: notifyFailure('Auto top-up was not turned off'),
          },
        ),
    });
}

const TONES: Record<AutoTopUp['status'], DotTone> = { ON: 'good', PAUSED: 'warn', OFF: 'quiet' };
const STATUS_TEXT: Record<AutoTopUp['status'], string> = { ON: 'On', PAUSED: 'Paused', OFF: 'Off' };

/** Auto top-ups of a tenant for operators, who can turn them off; nothing without any. */
export function AutoTopUpsTable({ tenantKey }: { tenantKey: string }) {
  const { data } = useQuery(autoTopUpsQuery(tenantKey));
  const turnOff = useTurnOff(tenantKey);
  if (data === undefined || data.length === 0) return null;
  const columns = [
    'Limit',
    'Status',
    'Buys',
    { name: 'This month', numeric: true },
    'Card',
    hidden('Actions'),
  ];
  return (
    <Panel title="Auto top-up" note="Set by members of the tenant." flush>
      <DataTable label="Auto top-ups" columns={columns}>
        {data.map((autoTopUp) => {
          const { id, status, stopReason, stopDetail, offer, currency, spentMinor, capMinor, cardLabel } =
            autoTopUp;
          return (
            <tr key={id}>
              <td>
                <KeyText>{nameOf(autoTopUp)}</KeyText>
              </td>
              <td>
                <StateDot tone={stopReason === 'PAYMENT_FAILED' ? 'bad' : TONES[status]}>
                  {stopReason ? STOP_TEXT[stopReason].replace(' of this service', '') : STATUS_TEXT[status]}
                </StateDot>
                {stopDetail && (
                  <Text size="xs" c="dimmed">
                    {stopDetail}
                  </Text>
                )}
              </td>
              <td>
                {offer.name}, {formatMoney(offer.priceMinor, currency)}
                <Text size="xs" c="dimmed">
                  when {describeThreshold(autoTopUp)}
                </Text>
              </td>
              <td>
                {formatMoney(spentMinor, currency)} of {formatMoney(capMinor, currency)}
              </td>
              <td>{cardLabel}</td>
              <ActionsCell>
                {status !== 'OFF' && (
                  <GatedButton
                    permission="purchases:write"
                    tenantKey={tenantKey}
                    variant="default"
                    size="xs"
                    onClick={() => turnOff(autoTopUp)}
                  >
                    Turn off
                  </GatedButton>
                )}
              </ActionsCell>
            </tr>
          );
        })}
      </DataTable>
    </Panel>
  );
}

import { Alert, Badge, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { IconCircleCheck, IconClock, IconCloudOff, IconHourglass } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { sameOriginUrl } from '@tollgate/contracts/same-origin-url';
import { type ReactNode, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { Hint, Problem } from '../../components/page.js';
import { TypedField, wholeNumbers } from '../../components/typed-field.js';
import type {
  OfferFieldsFragment,
  PaymentProvider,
  PurchaseFieldsFragment,
  PurchasePreviewQuery,
} from '../../generated/graphql.js';
import { usePageZone } from '../../lib/customer-page.js';
import { describeInterval } from '../../lib/effect-text.js';
import { UserErrorsError } from '../../lib/graphql-request.js';
import { ENTITLEMENT_SOURCE_TEXT, PAYMENT_PROVIDER_TEXT } from '../../lib/labels.js';
import { useInputMutation } from '../../lib/mutation.js';
import { formatMoney, formatNumber, plural } from '../../lib/number-format.js';
import { formatDayInZone } from '../../lib/time-format.js';
import {
  invoicesKey,
  latestOrderQuery,
  PURCHASE_CHANGES,
  PurchaseStartDocument,
  purchasePreviewQuery,
  purchasesKey,
  purchasesQuery,
} from './api.js';
import classes from './purchases.module.css';

type PurchasedLimit = NonNullable<PurchasePreviewQuery['purchasePreview']>['limits'][number];

interface OfferShelfProps {
  tenantKey: string;
  offers: readonly OfferFieldsFragment[];
  providers: readonly PaymentProvider[];
  /** Page to return to after paying for an offer. */
  returnPathOf: (offerKey: string) => string;
  /** Called after an order by invoice, which has no payment page. */
  onOrdered: (offerKey: string) => void;
  /** Called when the shown offers are outdated. */
  onStale: () => void;
  /** Shows a limit before and after a purchase, as a list item. */
  renderLimit: (limit: PurchasedLimit) => ReactNode;
  /** Whether a purchase would have been enough for the tenant. Such offers come first, cheapest first. */
  isEnough: (limits: readonly PurchasedLimit[]) => boolean;
}

export function OfferShelf(props: OfferShelfProps) {
  const { tenantKey, offers, providers, returnPathOf, onOrdered, onStale, renderLimit, isEnough } = props;
  const [provider, setProvider] = useState<PaymentProvider>(providers[0] ?? 'TEST');
  const start = useInputMutation(PurchaseStartDocument, purchasesKey);
  const buy = (offer: OfferFieldsFragment, quantity: number) => {
    const input = {
      ...{ tenantKey, offerKey: offer.key, quantity, provider },
      expectedPriceMinor: offer.priceMinor,
      returnPath: returnPathOf(offer.key),
    };
    start.mutate(input, {
      onSuccess: ({ purchase }) => {
        if (purchase?.checkoutUrl) window.location.assign(pageOf(purchase.checkoutUrl));
        else onOrdered(offer.key);
      },
      onError: onStale,
    });
  };
  const bought = start.variables?.offerKey;
  const previews = useQueries({ queries: offers.map(({ key }) => purchasePreviewQuery(tenantKey, key, 1)) });
  const enough = new Set(
    offers.filter((_, i) => isEnough(previews[i]?.data?.limits ?? [])).map(({ key }) => key),
  );
  const ranked = offers.toSorted(
    (a, b) => Number(enough.has(b.key)) - Number(enough.has(a.key)) || a.priceMinor - b.priceMinor,
  );
  const { data: active } = useInfiniteQuery(purchasesQuery({ tenantKey, status: 'ACTIVE' }));
  return (
    <>
      {providers.length > 1 && (
        <div style={{ display: 'flex', alignItems: 'center', gap: 10 }}>
          <Text size="sm" c="dimmed" id="pay-with">
            Pay with
          </Text>
          <SegmentedControl
            aria-labelledby="pay-with"
            data={providers.map((value) => ({ value, label: PAYMENT_PROVIDER_TEXT[value] }))}
            value={provider}
            onChange={(value) => setProvider(value as PaymentProvider)}
          />
        </div>
      )}
      {start.error && <BuyProblem error={start.error} />}
      <div className={classes.shelf}>
        {ranked.map((offer) => (
          <OfferCard
            key={offer.key}
            tenantKey={tenantKey}
            offer={offer}
            isEnough={enough.has(offer.key)}
            purchases={active?.nodes ?? []}
            renderLimit={renderLimit}
            pending={bought === offer.key && (start.isPending || start.data !== undefined)}
            onBuy={(quantity) => buy(offer, quantity)}
          />
        ))}
      </div>
    </>
  );
}

interface OfferCardProps extends Pick<OfferShelfProps, 'tenantKey' | 'renderLimit'> {
  offer: OfferFieldsFragment;
  isEnough: boolean;
  purchases: readonly PurchaseFieldsFragment[];
  pending: boolean;
  onBuy: (quantity: number) => void;
}

function OfferCard(props: OfferCardProps) {
  const { tenantKey, offer, isEnough, purchases, renderLimit, pending, onBuy } = props;
  const [quantity, setQuantity] = useState(1);
  const [quantityProblem, setQuantityProblem] = useState<string>();
  const { name, description, kind, priceMinor, currency, interval, validDays, maxQuantity, stockLeft } =
    offer;
  const { data: preview } = useQuery({
    ...purchasePreviewQuery(tenantKey, offer.key, quantity),
    placeholderData: keepPreviousData,
  });
  const timeZone = usePageZone();
  const noEffect = preview?.noEffect ?? undefined;
  const price = formatMoney(preview?.amountMinor ?? priceMinor, currency);
  const most = Math.min(maxQuantity, stockLeft ?? maxQuantity);
  const isSoldOut = stockLeft === 0;
  return (
    <article className={classes.card} aria-label={name}>
      <div style={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between', gap: 8 }}>
        <Text fw={600}>{name}</Text>
        <Badge color={isEnough ? 'gate' : 'gray'}>
          {isEnough ? 'Fits your usage' : ENTITLEMENT_SOURCE_TEXT[kind]}
        </Badge>
      </div>
      <p className={classes.price} style={{ margin: 0 }}>
        {formatMoney(priceMinor, currency)} <span>{describeInterval(interval)}</span>
      </p>
      {description && <Text size="sm">{description}</Text>}
      <Hint>
        {validDays != null && `Expires after ${plural(validDays, 'day')}.`}
        {kind === 'UPGRADE' && 'Renews until you cancel it.'}
        {maxQuantity > 1 && ` Up to ${maxQuantity} per order.`}
        {stockLeft != null && stockLeft > 0 && ` ${formatNumber(stockLeft)} left.`}
      </Hint>
      {preview && (
        <ul className={`tg-list ${classes.previews}`} aria-label="Your limits before and after">
          {preview.limits.map(renderLimit)}
        </ul>
      )}
      {noEffect && (
        <Text size="sm" c="dimmed" role="status">
          {noEffect}
        </Text>
      )}
      {preview && noEffect === undefined && (
        <dl className={classes.charges}>
          <div>
            <dt>Due today</dt>
            <dd>{price}</dd>
          </div>
          {preview.renewsAt && (
            <>
              <div>
                <dt>From {formatDayInZone(preview.renewsAt, timeZone)}</dt>
                <dd>
                  {price} {describeInterval(interval)}
                </dd>
              </div>
              <div data-total="">
                <dt>All renewals {describeInterval(interval)}</dt>
                <dd>
                  {formatMoney(renewalsOf(purchases, offer), currency)} →{' '}
                  {formatMoney(renewalsOf(purchases, offer) + preview.amountMinor, currency)}
                </dd>
              </div>
            </>
          )}
        </dl>
      )}
      <div className={classes.cardFoot}>
        {most > 1 && (
          <TypedField
            aria-label={`Quantity of ${name}`}
            unit={wholeNumbers(1, most)}
            value={quantity}
            onChange={setQuantity}
            onProblem={setQuantityProblem}
            w={96}
            size="sm"
          />
        )}
        <GatedButton
          permission="purchases:write"
          tenantKey={tenantKey}
          size="sm"
          loading={pending}
          disabled={isSoldOut || noEffect !== undefined || quantityProblem !== undefined}
          onClick={() => onBuy(quantity)}
        >
          {isSoldOut ? 'Sold out' : kind === 'UPGRADE' ? `Subscribe for ${price}` : `Buy for ${price}`}
        </GatedButton>
      </div>
    </article>
  );
}

/** What the tenant pays for renewals at the interval of an offer, in its currency. */
const renewalsOf = (
  purchases: readonly PurchaseFieldsFragment[],
  { interval, currency }: OfferFieldsFragment,
): number =>
  purchases
    .filter((one) => one.renews && one.interval === interval && one.currency === currency)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);

function BuyProblem({ error }: { error: Error }) {
  const code = error instanceof UserErrorsError ? error.userErrors[0]?.code : undefined;
  if (code === 'PROVIDER_UNAVAILABLE') {
    return (
      <Alert
        role="alert"
        color="ochre"
        icon={<IconCloudOff size={18} aria-hidden />}
        title="Payment provider unavailable"
      >
        Nothing was ordered or charged. Try again in a minute.
      </Alert>
    );
  }
  const isGone = code === 'NOT_FOR_SALE' || code === 'NOT_FOUND';
  return (
    <Problem {...(isGone ? { title: 'This offer is no longer available.' } : {})}>
      {isGone ? 'Nothing was ordered. The list has been updated.' : error.message}
    </Problem>
  );
}

/** Maps the test provider's page to this origin: the browser may use another loopback name. */
export function pageOf(url: string): string {
  const { pathname, search, href } = new URL(url);
  const own = sameOriginUrl(window.location.origin, `${pathname}${search}`);
  return pathname.startsWith('/pay/test/') && own !== undefined ? own : href;
}

/** Link to the payment page of the provider. */
export function PaymentLink({ checkoutUrl }: { checkoutUrl: string }) {
  return (
    <Button component="a" href={pageOf(checkoutUrl)}>
      Go to payment
    </Button>
  );
}

interface OrderOutcomeProps {
  tenantKey: string;
  offerKey: string;
  /** Limits that the purchase with this label has raised; nothing before it does. */
  raisedBy: (label: string) => ReactNode;
  onClose: () => void;
}

/** Outcome of the order after the viewer returns from the payment page. */
export function OrderOutcome({ tenantKey, offerKey, raisedBy, onClose }: OrderOutcomeProps) {
  const { data: order } = useQuery(latestOrderQuery(tenantKey, offerKey));
  const cancel = useInputMutation(PURCHASE_CHANGES.cancel, purchasesKey, invoicesKey);
  if (!order) return null;
  const { label, status, checkoutUrl, id } = order;
  const close = { withCloseButton: true, onClose, closeButtonLabel: 'Close' };
  if (status === 'ACTIVE') {
    return (
      <Alert
        role="status"
        color="gate"
        icon={<IconCircleCheck size={18} aria-hidden />}
        title={`Payment received. ${label} is active.`}
        {...close}
      >
        {raisedBy(label) ?? 'Applying the new limits…'}
      </Alert>
    );
  }
  if (status === 'PENDING') {
    return (
      <Alert
        role="status"
        color="ochre"
        icon={<IconClock size={18} aria-hidden />}
        title={`${label} is ordered but not paid`}
      >
        {checkoutUrl === null
          ? 'Ordered. Find the invoice in your receipts. Limits rise when the payment arrives.'
          : 'You are not charged until you pay. The payment page stays open until the order expires.'}
        {checkoutUrl && (
          <Group gap={8} mt={10}>
            <PaymentLink checkoutUrl={checkoutUrl} />
            <Button
              variant="default"
              loading={cancel.isPending}
              onClick={() => cancel.mutate({ purchaseId: id, reason: null }, { onSuccess: onClose })}
            >
              Cancel order
            </Button>
          </Group>
        )}
      </Alert>
    );
  }
  if (status === 'PROCESSING') {
    return (
      <Alert
        role="status"
        color="ochre"
        icon={<IconClock size={18} aria-hidden />}
        title={`Your payment for ${label} is processing`}
        {...close}
      >
        Bank debits take up to 14 business days. Limits rise when the payment succeeds; we email you if it
        fails.
      </Alert>
    );
  }
  const needsReview = status === 'NEEDS_REVIEW';
  return (
    <Alert
      role="status"
      color="ochre"
      icon={<IconHourglass size={18} aria-hidden />}
      title={
        needsReview
          ? `Your payment for ${label} is under review`
          : `The order of ${label} was canceled before payment`
      }
      {...close}
    >
      {needsReview ? 'We are checking it and will email you.' : 'You were not charged. You can buy it again.'}
    </Alert>
  );
}

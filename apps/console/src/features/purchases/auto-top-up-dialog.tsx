import { Button, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { Hint, Problem } from '../../components/page.js';
import { NumberText, TypedField, wholeNumbers } from '../../components/typed-field.js';
import type { OfferFieldsFragment } from '../../generated/graphql.js';
import { useLimitTitle } from '../../lib/customer-page.js';
import { notifyDone } from '../../lib/graphql-request.js';
import { useInputMutation, useMutationDialog } from '../../lib/mutation.js';
import { formatMajor, formatMoney, parseMoney, plural } from '../../lib/number-format.js';
import {
  type AutoTopUp,
  AutoTopUpSetDocument,
  autoTopUpsKey,
  describeThreshold,
  PaymentCardLinkDocument,
  type PaymentCards,
  paymentCardsKey,
  type Quota,
} from './auto-top-up-api.js';
import { pageOf } from './offer-shelf.js';

/** Percentage of the quota at which a new auto top-up orders. */
const USUAL_PERCENT = 20;

/** Orders per month that a new cap allows. */
const USUAL_ORDERS = 5;

interface AutoTopUpDialogProps {
  tenantKey: string;
  quota: Quota;
  /** Undefined: a new one. */
  autoTopUp: AutoTopUp | undefined;
  /** Top-ups of the quota. */
  offers: readonly OfferFieldsFragment[];
  cards: PaymentCards;
  onClose: () => void;
}

/** Turns on or changes an auto top-up; asks for a card first if none is saved. */
export function AutoTopUpDialog(props: AutoTopUpDialogProps) {
  const { cards, offers, onClose } = props;
  const link = useCardLink(props);
  const [offer] = offers;
  if (offer !== undefined && cards.cards.length > 0) return <Settings {...props} offer={offer} />;
  if (offer === undefined)
    return (
      <CreateModal
        {...{ title: 'Auto top-up', submitLabel: 'Close', pending: false, problem: null, onClose }}
        onSubmit={onClose}
      >
        <Text size="sm">No top-up for this limit is on sale. Request a higher limit instead.</Text>
      </CreateModal>
    );
  return (
    <CreateModal
      {...{ title: 'Save a card', submitLabel: 'Save a card', onClose }}
      onSubmit={() => link.open(offer.currency)}
      pending={link.isPending}
      problem={link.problem ?? cards.problem}
    >
      <Text size="sm">
        Auto top-up charges a saved card when you are not here. Save one first; you return to these settings.
        Nothing is charged now.
      </Text>
    </CreateModal>
  );
}

/** Opens the page on which the viewer saves a card and from which they return to these settings. */
function useCardLink({ tenantKey, quota: { apiKey, limitName }, cards }: AutoTopUpDialogProps) {
  const link = useInputMutation(PaymentCardLinkDocument, paymentCardsKey);
  const [provider] = cards.providers;
  const returnPath = `/portal/${tenantKey}?autoTopUp=${apiKey}/${limitName}`;
  return {
    isPending: link.isPending || link.data !== undefined,
    problem: link.error?.message,
    open: (currency: string) =>
      provider !== undefined &&
      link.mutate(
        { tenantKey, provider, currency, returnPath },
        { onSuccess: ({ url }) => url && window.location.assign(pageOf(url)) },
      ),
  };
}

function Settings(props: AutoTopUpDialogProps & { offer: OfferFieldsFragment }) {
  const { tenantKey, quota, autoTopUp, offers, cards, onClose } = props;
  const link = useCardLink(props);
  const known = offers.find(({ key }) => key === autoTopUp?.offer.key);
  const [offerKey, setOfferKey] = useState((known ?? props.offer).key);
  const offer = offers.find(({ key }) => key === offerKey) ?? props.offer;
  const { currency, priceMinor } = offer;
  const [amount, setAmount] = useState(
    autoTopUp?.thresholdUnits ?? autoTopUp?.thresholdPercent ?? USUAL_PERCENT,
  );
  const [isPercent, setPercent] = useState(autoTopUp?.thresholdUnits == null);
  const [cap, setCap] = useState(() =>
    formatMajor(autoTopUp?.capMinor ?? USUAL_ORDERS * priceMinor, currency),
  );
  const saved = cards.cards.find(({ ref }) => ref === autoTopUp?.card) ?? cards.cards[0];
  const [cardRef, setCardRef] = useState(saved?.ref ?? null);
  const card = cards.cards.find(({ ref }) => ref === cardRef);
  const [isTried, setTried] = useState(false);
  const fields = ['offerKey', 'thresholdUnits', 'thresholdPercent', 'capMinor', 'card'];
  const { errors, dialog } = useMutationDialog(AutoTopUpSetDocument, fields, autoTopUpsKey);
  const title = useLimitTitle()?.(quota.apiKey, quota.limitName) ?? quota.limitName;
  const parsed = parseMoney(cap, currency);
  const isWrong = isPercent && amount > 99;
  const thresholds = {
    thresholdUnits: isPercent ? null : amount,
    thresholdPercent: isPercent ? amount : null,
  };
  const input =
    parsed.ok && card && !isWrong
      ? {
          ...{ tenantKey, ...quota, offerKey, ...thresholds, capMinor: parsed.value },
          ...{ expectedPriceMinor: priceMinor, provider: card.provider, card: card.ref },
        }
      : undefined;
  const save = dialog(input, () => {
    notifyDone('Auto top-up is on');
    onClose();
  });
  const price = formatMoney(priceMinor, currency);
  return (
    <CreateModal
      title={`Auto top-up of ${title}`}
      submitLabel={autoTopUp?.status === 'ON' ? 'Save' : 'Turn on'}
      onClose={onClose}
      {...save}
      onSubmit={() => {
        setTried(true);
        save.onSubmit();
      }}
    >
      <Select
        label="Buy"
        data={offers.map((one) => ({
          value: one.key,
          label: `${one.name}, ${formatMoney(one.priceMinor, one.currency)}`,
        }))}
        value={offerKey}
        onChange={(key) => key && setOfferKey(key)}
        error={errors.offerKey}
        allowDeselect={false}
        data-autofocus
      />
      <Group gap={8} align="flex-start" wrap="nowrap">
        <TypedField
          key={isPercent ? 'percent' : 'units'}
          label="When less than this is left"
          unit={isPercent ? wholeNumbers(1, 99) : wholeNumbers(1)}
          value={amount}
          onChange={setAmount}
          error={
            errors.thresholdUnits ??
            errors.thresholdPercent ??
            (isTried && isWrong ? 'Enter 1 to 99' : undefined)
          }
          flex={1}
        />
        <Select
          label="Of"
          data={[
            { value: 'percent', label: '% of the limit' },
            { value: 'units', label: 'units' },
          ]}
          value={isPercent ? 'percent' : 'units'}
          onChange={(value) => setPercent(value === 'percent')}
          allowDeselect={false}
          w={140}
        />
      </Group>
      <NumberText
        label={`Most per month (${currency})`}
        description="By calendar month (UTC). Refunds free it again."
        inputMode="decimal"
        value={cap}
        onChange={setCap}
        parsed={parsed}
        error={errors.capMinor ?? (isTried && !parsed.ok ? parsed.message : undefined)}
      />
      <Select
        label="Card"
        data={cards.cards.map(({ ref, label }) => ({ value: ref, label }))}
        value={cardRef}
        onChange={setCardRef}
        error={errors.card ?? (isTried && !card ? 'Choose a card' : undefined)}
        allowDeselect={false}
      />
      <Button
        variant="subtle"
        size="xs"
        w="fit-content"
        loading={link.isPending}
        onClick={() => link.open(currency)}
      >
        Save another card
      </Button>
      <Problem>{link.problem ?? cards.problem}</Problem>
      <Hint>
        You agree that {card?.label ?? 'your card'} is charged {price} each time{' '}
        {describeThreshold(thresholds)}
        {parsed.ok && `, at most ${formatMoney(parsed.value, currency)} per month`}. If little is left now,
        the first {offer.name} is bought at once.
        {offer.validDays != null && ` Units expire after ${plural(offer.validDays, 'day')}.`} If the price
        rises, you are asked first.
      </Hint>
    </CreateModal>
  );
}

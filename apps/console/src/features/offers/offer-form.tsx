import { Alert, Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CopyAs, type CopyAsProps } from '../../components/copy.js';
import { NameAndKey, ReasonField } from '../../components/fields.js';
import { Panel } from '../../components/page.js';
import type { OfferKind } from '../../generated/graphql.js';
import { describeInterval, type OfferTerms, summarizeOffer } from '../../lib/effect-text.js';
import { formatMoney } from '../../lib/number-format.js';
import { scopeChoicesQuery } from '../../lib/scope-choices.js';
import type { OfferDraft, ReadDraft } from './offer-draft.js';
import { AvailabilityFields, EffectFields, PriceFields } from './offer-fields.js';
import classes from './offers.module.css';
import { OfferKindBadge } from './offers-table.js';

/** The offer as customers see it. */
export function OfferPreview({
  name,
  description,
  terms,
}: {
  name: string;
  description: string;
  terms: OfferTerms;
}) {
  return (
    <Panel title="Offer" note="As shown to customers." actions={<OfferKindBadge kind={terms.kind} />}>
      <Text fw={600}>{name || 'New offer'}</Text>
      {description && (
        <Text size="sm" c="dimmed" mt={2}>
          {description}
        </Text>
      )}
      <p className={classes.priceBig} style={{ margin: '10px 0' }}>
        {formatMoney(terms.priceMinor, terms.currency)} <span>{describeInterval(terms.interval)}</span>
      </p>
      <p className={classes.sentence} style={{ margin: 0 }} aria-live="polite">
        {summarizeOffer(terms)}
      </p>
    </Panel>
  );
}

interface OfferFormProps {
  draft: OfferDraft;
  read: ReadDraft;
  onChange: (draft: OfferDraft) => void;
  /** A new offer has a key and a kind to choose; later both are fixed. */
  isNew: boolean;
  errors: Record<string, string>;
  problem: ReactNode;
  pending: boolean;
  /** The mutation to copy. */
  copy: CopyAsProps;
  reason: string;
  onReason: (reason: string) => void;
  onSubmit: () => void;
  onCancel: () => void;
}

/** An offer as a form, with the sentence that customers will read beside it. */
export function OfferForm(props: OfferFormProps) {
  const {
    draft,
    read,
    onChange,
    isNew,
    errors,
    problem,
    pending,
    copy,
    reason,
    onReason,
    onSubmit,
    onCancel,
  } = props;
  const { data: choices } = useQuery(scopeChoicesQuery);
  const set = (part: Partial<OfferDraft>) => onChange({ ...draft, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className={classes.editor} onSubmit={submit} noValidate>
      <Stack gap="lg">
        <Panel title="Terms" note={isNew ? undefined : 'Existing purchases keep their terms and price.'}>
          <Stack gap="md">
            {isNew && <KindChoice value={draft.kind} onChange={(kind) => set({ kind })} />}
            {isNew ? (
              <NameAndKey value={draft} onChange={set} errors={errors} keyHint="Cannot be changed later." />
            ) : (
              <TextInput
                label="Name"
                required
                value={draft.name}
                onChange={({ currentTarget: { value } }) => set({ name: value })}
                error={errors.name}
              />
            )}
            <TextInput
              label="Description"
              description="Shown to customers below the name."
              value={draft.description}
              onChange={({ currentTarget: { value } }) => set({ description: value })}
              error={errors.description}
            />
            <PriceFields draft={draft} onChange={set} isNew={isNew} errors={errors} />
          </Stack>
        </Panel>
        <Panel title="Effects on limits">
          <EffectFields
            effects={draft.effects}
            onChange={(effects) => set({ effects })}
            limitsByApi={choices?.limitsByApi ?? new Map()}
            errors={errors}
          />
          {errors.effects && (
            <Alert color="ember" mt="sm" role="alert">
              {errors.effects}
            </Alert>
          )}
        </Panel>
        <Panel title="Availability">
          <AvailabilityFields
            draft={draft}
            onChange={set}
            isNew={isNew}
            errors={errors}
            tiers={choices?.tiers ?? []}
          />
        </Panel>
        <ReasonField value={reason} onChange={onReason} />
        {problem && (
          <Alert role="alert" color="ember" icon={<IconAlertCircle size={18} aria-hidden />}>
            {problem}
          </Alert>
        )}
        <Group justify="flex-end">
          <div className={classes.copy}>
            <CopyAs {...copy} />
          </div>
          <Button variant="default" size="sm" onClick={onCancel}>
            Cancel
          </Button>
          <GatedButton permission="offers:write" size="sm" loading={pending} onClick={onSubmit}>
            {isNew ? 'Create offer' : 'Save changes'}
          </GatedButton>
        </Group>
      </Stack>
      <div className={classes.aside}>
        <OfferPreview name={draft.name} description={draft.description} terms={read.terms} />
      </div>
    </form>
  );
}

function KindChoice({ value, onChange }: { value: OfferKind; onChange: (kind: OfferKind) => void }) {
  const choices = [
    { value: 'TOPUP', label: `Top-up: ${'One-time, expires'.toLowerCase()}` },
    { value: 'UPGRADE', label: `Upgrade: ${'Renews until canceled'.toLowerCase()}` },
  ];
  return (
    <SegmentedControl
      aria-label="Kind"
      data={choices}
      value={value}
      onChange={(kind) => onChange(kind as OfferKind)}
      fullWidth
    />
  );
}

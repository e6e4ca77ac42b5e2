import { Alert, Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CopyAs, type CopyAsProps } from '../../components/copy.js';
import { NameAndKey, ReasonField } from '../../components/fields.js';
import { Form } from '../../components/forms.js';
import { Panel, Problem } from '../../components/page.js';
import { describeInterval, type OfferTerms, summarizeOffer } from '../../lib/effect-text.js';
import { bindFields } from '../../lib/form.js';
import { formatMoney } from '../../lib/number-format.js';
import { scopeChoicesQuery } from '../../lib/scope-choices.js';
import { type OfferDraft, type ReadDraft, readDraft } from './offer-draft.js';
import { AvailabilityFields, EffectFields, PriceFields } from './offer-fields.js';
import classes from './offers.module.css';
import { OfferKindBadge } from './offers-table.js';

interface OfferPreviewProps {
  name: string;
  description: string;
  terms: OfferTerms;
}

export function OfferPreview({ name, description, terms }: OfferPreviewProps) {
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
  onChange: (draft: OfferDraft) => void;
  /** Only a new offer has a key and a kind to choose. */
  isNew: boolean;
  errors: Record<string, string>;
  save: (
    read: ReadDraft,
    reason: string,
  ) => { onSubmit: () => void; pending: boolean; problem: ReactNode; copy?: CopyAsProps };
  onCancel: () => void;
}

/** An offer as a form, next to the sentence that customers read. */
export function OfferForm({ draft, onChange, isNew, errors: refused, save, onCancel }: OfferFormProps) {
  const { data: choices } = useQuery(scopeChoicesQuery);
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const set = (part: Partial<OfferDraft>) => onChange({ ...draft, ...part });
  const read = readDraft(draft);
  const errors = { ...refused, ...(tried ? read.errors : {}) };
  const bind = bindFields(draft, set, errors);
  const { onSubmit, pending, problem, copy } = save(read, reason.trim());
  const submit = () => {
    setTried(true);
    if (Object.keys(read.errors).length === 0) onSubmit();
  };
  return (
    <Form className={classes.editor} onSubmit={submit}>
      <Stack gap="lg">
        <Panel title="Terms" note={isNew ? undefined : 'Existing purchases keep their terms and price.'}>
          <Stack gap="md">
            {isNew && (
              <SegmentedControl
                aria-label="Kind"
                data={[
                  { value: 'TOPUP', label: 'Top-up: one-time, expires' },
                  { value: 'UPGRADE', label: 'Upgrade: renews until canceled' },
                ]}
                value={draft.kind}
                onChange={bind('kind').onChange}
                fullWidth
              />
            )}
            {isNew ? (
              <NameAndKey value={draft} onChange={set} errors={errors} keyHint="Cannot be changed later." />
            ) : (
              <TextInput label="Name" required {...bind('name')} />
            )}
            <TextInput
              label="Description"
              description="Shown to customers below the name."
              {...bind('description')}
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
        <ReasonField value={reason} onChange={setReason} />
        <Problem>{problem}</Problem>
        <Group justify="flex-end">
          <div style={{ marginRight: 'auto' }}>{copy && <CopyAs {...copy} />}</div>
          <Button variant="default" size="sm" onClick={onCancel}>
            Cancel
          </Button>
          <GatedButton permission="offers:write" size="sm" loading={pending} onClick={submit}>
            {isNew ? 'Create offer' : 'Save changes'}
          </GatedButton>
        </Group>
      </Stack>
      <div className={classes.aside}>
        <OfferPreview name={draft.name} description={draft.description} terms={read.terms} />
      </div>
    </Form>
  );
}

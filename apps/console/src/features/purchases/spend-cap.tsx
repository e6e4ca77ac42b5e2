import { Button, Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { FillBar, Numbers } from '../../components/figures.js';
import { Hint, Panel, QueryFallback } from '../../components/page.js';
import { NumberText } from '../../components/typed-field.js';
import { notifyDone } from '../../lib/graphql-request.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { formatMajor, formatMoney, listCurrencies, parseMoney } from '../../lib/number-format.js';
import { formatDayInZone } from '../../lib/time-format.js';
import { SpendCapSetDocument, type Spending, spendingKey, spendingQuery } from './api.js';
import classes from './purchases.module.css';

interface SpendCapProps {
  tenantKey: string;
  /** Of a first cap; undefined: not loaded yet, and the dialog waits for it. */
  currency: string | undefined;
}

/** The spend cap of a tenant and what is spent of it this month. */
export function SpendCap({ tenantKey, currency }: SpendCapProps) {
  const query = useQuery(spendingQuery(tenantKey));
  const [editing, setEditing] = useState(false);
  const spending = query.data;
  const capMinor = spending?.capMinor ?? null;
  const own = spending?.currency ?? currency;
  return (
    <Panel title="Spend cap">
      <QueryFallback query={query} rows={1} />
      {spending && (
        <div className={classes.cap}>
          {capMinor === null || own === undefined ? (
            <Text size="sm" c="dimmed">
              No cap set
            </Text>
          ) : (
            <div>
              <Numbers>
                <span>
                  <strong>{formatMoney(spending.paidMinor, own)}</strong> of {formatMoney(capMinor, own)} this
                  month
                </span>
              </Numbers>
              <FillBar
                label="Spent of the cap"
                share={capMinor === 0 ? 1 : (spending.paidMinor + spending.expectedMinor) / capMinor}
              />
              <Numbers>
                <span>
                  {spending.expectedMinor > 0
                    ? `${formatMoney(spending.expectedMinor, own)} still due, included in the bar`
                    : 'Nothing more is due'}
                </span>
                <span>Resets {formatDayInZone(spending.resetsAt, 'UTC')} UTC</span>
              </Numbers>
            </div>
          )}
          <GatedButton
            permission="purchases:write"
            tenantKey={tenantKey}
            variant="default"
            size="xs"
            onClick={() => setEditing(true)}
          >
            {capMinor === null ? 'Set a cap' : 'Change cap'}
          </GatedButton>
        </div>
      )}
      {editing && spending && own !== undefined && (
        <SpendCapDialog
          tenantKey={tenantKey}
          spending={spending}
          currency={own}
          onClose={() => setEditing(false)}
        />
      )}
    </Panel>
  );
}

interface SpendCapDialogProps {
  tenantKey: string;
  spending: Spending;
  currency: string;
  onClose: () => void;
}

function SpendCapDialog({ tenantKey, spending, currency: usual, onClose }: SpendCapDialogProps) {
  const { capMinor } = spending;
  const [currency, setCurrency] = useState(usual);
  const [amount, setAmount] = useState(capMinor == null ? '' : formatMajor(capMinor, usual));
  const [problem, setProblem] = useState<string>();
  const { mutation, errors, dialog } = useMutationDialog(
    SpendCapSetDocument,
    ['amountMinor', 'currency'],
    spendingKey,
  );
  const parsed = parseMoney(amount, currency);
  const input = parsed.ok ? { tenantKey, amountMinor: parsed.value, currency } : undefined;
  const done = (text: string) => () => {
    notifyDone(text);
    onClose();
  };
  const save = dialog(input, done('Spend cap saved'));
  const submit = () => {
    setProblem(parsed.ok ? undefined : parsed.message);
    save.onSubmit();
  };
  return (
    <CreateModal title="Spend cap" submitLabel="Save cap" onClose={onClose} {...save} onSubmit={submit}>
      <Group gap={8} align="flex-start" wrap="nowrap">
        <NumberText
          label="Most per month"
          inputMode="decimal"
          value={amount}
          onChange={setAmount}
          parsed={parsed}
          error={problem ?? errors.amountMinor}
          flex={1}
          data-autofocus
        />
        <Select
          label="Currency"
          data={listCurrencies()}
          value={currency}
          onChange={(code) => code && setCurrency(code)}
          error={errors.currency}
          searchable
          w={110}
        />
      </Group>
      <Hint>
        Counts by calendar month (UTC). Orders that would exceed it, now or when they renew, are rejected
        before you pay.
      </Hint>
      {capMinor != null && (
        <Button
          variant="subtle"
          color="ember"
          size="xs"
          w="fit-content"
          loading={mutation.isPending}
          onClick={() =>
            mutation.mutate(
              { tenantKey, amountMinor: null, currency },
              { onSuccess: done('Spend cap removed') },
            )
          }
        >
          Remove cap
        </Button>
      )}
    </CreateModal>
  );
}

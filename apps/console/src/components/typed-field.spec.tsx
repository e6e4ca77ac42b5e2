import { MantineProvider } from '@mantine/core';
import { cleanup, render, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { formatMajor, parseMoney } from '../lib/number-format.js';
import { CreateModal } from './create-modal.js';
import { decimals, NumberText, optional, TypedField, wholeNumbers } from './typed-field.js';

afterEach(cleanup);

/** A dialog with an amount of money and numbers of three kinds. */
function Order({ currency, onSubmit }: { currency: string; onSubmit: (values: object) => void }) {
  const [price, setPrice] = useState(() => formatMajor(4900, currency));
  const [floor, setFloor] = useState<number>();
  const [seats, setSeats] = useState(1);
  const [tax, setTax] = useState(7.5);
  const parsed = parseMoney(price, currency);
  const values = { price: parsed.ok && parsed.value, floor, seats, tax };
  return (
    <CreateModal
      title="Order"
      submitLabel="Save"
      onClose={vi.fn()}
      onSubmit={() => onSubmit(values)}
      pending={false}
      problem={undefined}
      aside={
        <button type="button" onClick={() => onSubmit(values)}>
          Add to change set
        </button>
      }
    >
      <NumberText label="Price" value={price} onChange={setPrice} parsed={parsed} />
      <TypedField label="Floor" unit={optional(wholeNumbers(1))} value={floor} onChange={setFloor} />
      <TypedField label="Seats" unit={wholeNumbers(1, 5000)} value={seats} onChange={setSeats} />
      <TypedField label="Tax" unit={decimals(2, 0, 50)} value={tax} onChange={setTax} />
    </CreateModal>
  );
}

function openOrder(currency = 'EUR') {
  const onSubmit = vi.fn();
  render(
    <MantineProvider env="test">
      <Order currency={currency} onSubmit={onSubmit} />
    </MantineProvider>,
  );
  const page = within(document.body);
  const user = userEvent.setup();
  const type = async (name: string, text: string) => {
    const field = page.getByRole('textbox', { name });
    await user.clear(field);
    await user.type(field, text);
    return field;
  };
  const click = (name: string) => user.click(page.getByRole('button', { name }));
  return { page, user, type, click, onSubmit };
}

describe('a number with two readings', () => {
  test.each([
    ['EUR', '1.200', '1200', 120_000],
    ['EUR', '1.200', '1.2', 120],
    ['JPY', '49.000', '49000', 49_000],
    ['KWD', '1,500', '1.5', 1_500],
  ])('of %s %s is sent as the chosen one, %s', async (currency, text, reading, price) => {
    const { page, type, click, onSubmit } = openOrder(currency);
    const field = await type('Price', text);
    page.getByText(/can mean/);
    await click('Save');
    await click('Add to change set');
    expect(onSubmit).not.toHaveBeenCalled();
    expect(document.activeElement).toBe(field);
    await click(reading);
    expect(page.queryByText(/can mean/)).toBeNull();
    await click('Save');
    expect(onSubmit).toHaveBeenCalledWith(expect.objectContaining({ price }));
  });

  test.each([
    ['Floor', '10.000', '10000', { floor: 10_000 }],
    ['Seats', '1.000', '1000', { seats: 1000 }],
    ['Tax', '19,5', '19.5', { tax: 19.5 }],
  ])('of the field %s, %s, is sent as the chosen one, %s', async (name, text, reading, values) => {
    const { type, click, onSubmit } = openOrder();
    await type(name, text);
    await click('Save');
    expect(onSubmit).not.toHaveBeenCalled();
    await click(reading);
    await click('Save');
    expect(onSubmit).toHaveBeenCalledWith(expect.objectContaining(values));
  });
});

test('a form is sent without a number that may be empty, and not without another', async () => {
  const { page, user, type, click, onSubmit } = openOrder();
  await type('Floor', '12,000');
  await user.clear(page.getByRole('textbox', { name: 'Floor' }));
  await type('Seats', '6000');
  await click('Save');
  page.getByText('Enter 1 to 5,000');
  expect(onSubmit).not.toHaveBeenCalled();
  await type('Seats', '1,000');
  await click('Save');
  expect(onSubmit).toHaveBeenCalledWith(expect.objectContaining({ floor: undefined, seats: 1000 }));
});

import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { CarryOverChoice } from './fields.js';

it('shows what a node leaves after a change, rounded as nodes round it', () => {
  render(
    <MantineProvider>
      <CarryOverChoice
        value="PROPORTIONAL"
        onChange={() => undefined}
        example={{ used: 1, before: 3, after: 100 }}
      />
    </MantineProvider>,
  );
  // 1 × 100 ÷ 3 = 33.3 used, rounded up.
  expect(screen.getByText(/1 of 3 used leaves 66 of 100/)).toBeDefined();
});

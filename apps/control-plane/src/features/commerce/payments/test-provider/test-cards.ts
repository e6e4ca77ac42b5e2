import { TestCard } from '../../../../platform/prisma/schema.js';

/** What a card number of the test provider does. */
export type CardBehaviour = { charges: TestCard } | { declines: string };

interface CardExample {
  number: string;
  /** For people. */
  does: string;
  behaviour: CardBehaviour;
}

/** The cards that the page knows; any other number is declined. */
export const TEST_CARDS: readonly CardExample[] = [
  { number: '4242 4242 4242 4242', does: 'pays', behaviour: { charges: TestCard.PAYS } },
  {
    number: '4000 0000 0000 0002',
    does: 'is declined',
    behaviour: { declines: 'Your card was declined.' },
  },
  {
    number: '4000 0000 0000 0259',
    does: 'pays, then its owner disputes it',
    behaviour: { charges: TestCard.DISPUTES },
  },
  {
    number: '4000 0000 0000 0341',
    does: 'pays once; renewals find insufficient funds',
    behaviour: { charges: TestCard.FAILS_RENEWAL },
  },
];

/** What a number does, however it is spaced. */
export function behaviourOf(number: string): CardBehaviour {
  const digits = number.replace(/[\s-]/g, '');
  const known = TEST_CARDS.find((card) => card.number.replaceAll(' ', '') === digits);
  return known?.behaviour ?? { declines: 'This is no test card. Use one of the numbers below.' };
}

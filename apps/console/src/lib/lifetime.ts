import dayjs from 'dayjs';

/** When what begins now is over, for a number of days as a list has it; null for the empty text: it has no end. */
export const endOfLifetime = (days: string): string | null =>
  days === '' ? null : dayjs().add(Number(days), 'day').toISOString();

import { explainReadings, readTypedNumber } from '@tollgate/contracts/typed-number';
import { InvalidArgumentError } from 'commander';

/** Digits after the decimal point that a number keeps exactly. */
export const MAX_DECIMALS = 15;

interface NumberOption {
  min: number;
  max?: number;
  /** Most digits after the decimal point; default 0. */
  decimals?: number;
  /** Completes “It must be”. */
  expected: string;
}

/** Parses the number of an option. @throws InvalidArgumentError also for a number with two readings */
export const numberOption =
  ({ min, max = Number.MAX_SAFE_INTEGER, decimals = 0, expected }: NumberOption) =>
  (text: string): number => {
    const read = readTypedNumber(text, { decimals });
    if (!read.ok && read.readings.length > 0)
      throw new InvalidArgumentError(explainReadings(text, read.readings));
    const value = read.ok ? Number(read.decimal) : Number.NaN;
    const isFine = value >= min && value <= max && (decimals > 0 || Number.isInteger(value));
    if (!isFine) throw new InvalidArgumentError(`It must be ${expected}.`);
    return value;
  };

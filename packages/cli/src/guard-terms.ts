import { explainReadings, readTypedNumber, scaleDecimal } from '@tollgate/contracts/typed-number';
import { CommandError } from './connection.js';
import { MAX_DECIMALS } from './number-option.js';

/** A guard of published tier versions, as in `PublicationGuardInput`. */
export interface GuardTerms {
  /** Percentage points. */
  maxDenialRise: number;
  minDecisions: number;
  withinMinutes: number;
}

const FIELDS: ReadonlyMap<string, keyof GuardTerms> = new Map([
  ['rise', 'maxDenialRise'],
  ['decisions', 'minDecisions'],
  ['minutes', 'withinMinutes'],
]);

/** Parses `rise=1,decisions=1000,minutes=30`; each part is optional. The server checks the bounds. @throws CommandError */
export function parseGuard(text: string): GuardTerms {
  const terms: GuardTerms = { maxDenialRise: 1, minDecisions: 1000, withinMinutes: 30 };
  for (const part of text.split(',')) {
    const [name = '', number = ''] = part.trim().split('=');
    const field = FIELDS.get(name);
    const decimals = field === 'maxDenialRise' ? MAX_DECIMALS : 0;
    const read = readTypedNumber(number, { decimals });
    if (!read.ok && read.readings.length > 0)
      throw new CommandError(`--guard: ${explainReadings(number, read.readings)}`);
    if (field === undefined || !read.ok || scaleDecimal(read.decimal, decimals) === undefined) {
      throw new CommandError(
        `--guard: "${part}" is not one of rise=<percentage points>, decisions=<number>, minutes=<number>.`,
      );
    }
    terms[field] = Number(read.decimal);
  }
  return terms;
}

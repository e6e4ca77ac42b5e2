import { CommandError } from '../connection.js';

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
    const isNumber = field === 'maxDenialRise' ? /^\d+(\.\d+)?$/ : /^\d+$/;
    if (field === undefined || !isNumber.test(number)) {
      throw new CommandError(
        `--guard: "${part}" is not one of rise=<percentage points>, decisions=<number>, minutes=<number>.`,
      );
    }
    terms[field] = Number(number);
  }
  return terms;
}

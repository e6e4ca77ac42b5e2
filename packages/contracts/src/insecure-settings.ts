import * as z from 'zod';

/** Rejected in production unless `ALLOW_INSECURE` names them. Both apps accept the whole list. */
export const INSECURE_SETTINGS = [
  /** Short of randomness, or published as examples. */
  'weak-secrets',
  /** One secret for several purposes. */
  'shared-secrets',
  /** Sessions or keys sent over http. */
  'plain-http',
  /** A Postgres login that row-level security does not bind. */
  'database-login',
  /** Purchases that move no money. */
  'test-payments',
  /** Policy that anyone with access to Redis can forge. */
  'unsigned-policy',
] as const;

export type InsecureSetting = (typeof INSECURE_SETTINGS)[number];

/** Names the variables, never their values. */
export interface Insecurity {
  readonly setting: InsecureSetting;
  readonly problem: string;
}

const isInsecureSetting = (name: string): name is InsecureSetting =>
  (INSECURE_SETTINGS as readonly string[]).includes(name);

export const allowInsecureSchema = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine(
    (names) => names.every(isInsecureSetting),
    `must be names from ${INSECURE_SETTINGS.join(', ')}, separated by commas`,
  )
  .transform((names): ReadonlySet<InsecureSetting> => new Set(names.filter(isInsecureSetting)));

export function splitInsecurities(
  found: readonly Insecurity[],
  allowed: ReadonlySet<InsecureSetting>,
): { problems: string[]; accepted: Insecurity[] } {
  return {
    problems: found
      .filter(({ setting }) => !allowed.has(setting))
      .map(({ setting, problem }) => `${problem} (ALLOW_INSECURE=${setting} accepts this)`),
    accepted: found.filter(({ setting }) => allowed.has(setting)),
  };
}

/** Whether a host name or address is reachable from this machine only. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true;
  return /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(name);
}

const MIN_SECRET_LENGTH = 32;
/** 32 random hex digits have fewer once in 10 million. */
const MIN_DIFFERENT_CHARACTERS = 8;

/** Words of examples; 64 random hex digits contain one once in 60 million. */
const PLACEHOLDER =
  /change.?me|replace.?me|example|placeholder|secret|password|pepper|insecure|default|tollgate|qwerty|letmein|12345678|abcdefg/i;

/** Undefined: looks random. The text contains no part of the secret. */
export function secretWeakness(secret: string): string | undefined {
  if (secret.length < MIN_SECRET_LENGTH) return `has fewer than ${MIN_SECRET_LENGTH} characters`;
  if (new Set(secret).size < MIN_DIFFERENT_CHARACTERS)
    return `has fewer than ${MIN_DIFFERENT_CHARACTERS} different characters`;
  if (isRepetition(secret)) return 'repeats one part';
  if (isSequence(secret)) return 'is a sequence of neighboring characters';
  if (PLACEHOLDER.test(secret)) return 'contains a word of an example';
  return undefined;
}

/** Pairs of variables with equal values, `A and B`. */
export function findEqualSecrets(secrets: readonly (readonly [name: string, secret: string])[]): string[] {
  return secrets.flatMap(([name, secret], at) =>
    secrets.slice(at + 1).flatMap(([other, another]) => (secret === another ? [`${name} and ${other}`] : [])),
  );
}

function isRepetition(text: string): boolean {
  for (let period = 1; period <= text.length / 2; period++) {
    if (text.slice(period) === text.slice(0, -period)) return true;
  }
  return false;
}

function isSequence(text: string): boolean {
  let steps = 0;
  for (let at = 1; at < text.length; at++) {
    if (Math.abs(text.charCodeAt(at) - text.charCodeAt(at - 1)) <= 1) steps += 1;
  }
  return steps > text.length / 2;
}

/** Schema for text that a function parses. @param read its Error becomes the issue */
export const textReadBy = <T>(read: (text: string) => T) =>
  z.string().transform((text, context): T => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import manifest from '../package.json' with { type: 'json' };

/** This build. All packages share one version; images set the commit. */
export const BUILD = { version: manifest.version, commit: process.env.TOLLGATE_COMMIT || 'unknown' } as const;

/**
 * A variable with a whole number; the error names the range. Digits only: `1.000` can mean 1000 or 1, and `Number` also reads `1e3`
 * and `0x10`.
 */
export const wholeNumber = (min: number, max: number) => {
  const range = `must be a whole number from ${min} to ${max}, in digits only`;
  const number = z.number({ error: range }).int(range).min(min, range).max(max, range);
  return z.preprocess(digitsAsNumber, number).meta({ type: 'integer', minimum: min, maximum: max });
};

function digitsAsNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
}

/** The variable `TRACING`. @param more end of its description */
export const tracingVariable = (more: string) =>
  z
    .enum(['off', 'otlp'])
    .default('off')
    .meta({
      description: `otlp: exports traces by OTLP over HTTP. Set OTEL_EXPORTER_OTLP_ENDPOINT; the other standard OTEL_ variables apply too${more}`,
    });

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Adds the variables that files contain: `NAME_FILE` names the file of `NAME`. An empty file sets nothing. Problems never
 * contain a value.
 */
export function readEnvFiles({ shape }: z.ZodObject, env: Env): { env: Env; problems: string[] } {
  const fromFiles: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of Object.keys(shape)) {
    const file = env[`${name}_FILE`];
    if (!file) continue;
    if (env[name]) {
      problems.push(`${name} and ${name}_FILE are both set: remove one of them`);
      continue;
    }
    try {
      fromFiles[name] = readFileSync(file, 'utf8').trim();
    } catch (error) {
      problems.push(`${name}_FILE cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  return { env: { ...env, ...fromFiles }, problems };
}

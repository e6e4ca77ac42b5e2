import type { z } from 'zod';

/** Reads a JSON text by its schema; undefined when it is no JSON or not of that shape. */
export function readJson<T>(schema: z.ZodType<T>, text: string | undefined | null): T | undefined {
  if (text == null) return undefined;
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

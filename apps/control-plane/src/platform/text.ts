/** Parses JSON; undefined for invalid JSON, which every schema rejects. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const UNSTORABLE_TEXT = 'Text must not contain NUL characters or unpaired surrogates';

/** Whether Postgres can store every text in a JSON-like value: it has no NUL, and JSON with half a surrogate pair is an error. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorable(inner));
}

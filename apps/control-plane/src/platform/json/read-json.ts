/** What a text from outside says; undefined for one that is no JSON, which no schema takes. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

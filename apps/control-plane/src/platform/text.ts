/** Undefined for invalid JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const UNSTORABLE_TEXT = 'Text must not contain NUL characters or unpaired surrogates';

/** Whether Postgres can store every text in the value: no NUL and no lone surrogates. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorable(inner));
}

const WORD = /\S+/g;
const MAIL_ADDRESS = /^[^@/:]+@[^@/:]+$/;
/** The end of a scheme, and a dot (of any script) inside a word, but not inside a number, such as HK$49.00. */
const IN_LINK = /:(?=\/\/)|[.\u3002\uff0e\uff61](?=\p{L})|(?<!\p{N})[.\u3002\uff0e\uff61](?=\p{N})/gu;

/** A text in which mail programs find no link: a zero-width space separates its parts. Mail addresses and numbers stay. */
export function withoutLinks(text: string): string {
  return text.replace(WORD, (word) =>
    MAIL_ADDRESS.test(word) || !/\p{L}/u.test(word) ? word : word.replace(IN_LINK, '$&\u200b'),
  );
}

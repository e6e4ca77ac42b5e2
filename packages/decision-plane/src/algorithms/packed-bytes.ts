/** A whole number as bytes, one character (latin1) each, the highest first. `width` is 1 to 7; the number must fit. */
export function bytesOf(value: number, width: number): string {
  let text = '';
  for (let rest = value, left = width; left > 0; left--) {
    text = String.fromCharCode(rest % 256) + text;
    rest = Math.floor(rest / 256);
  }
  return text;
}

/** The number that `bytesOf` wrote at `at`. */
export function numberAt(text: string, at: number, width: number): number {
  let value = 0;
  for (let i = at; i < at + width; i++) value = value * 256 + text.charCodeAt(i);
  return value;
}

/** Visible ASCII; `crypto.randomUUID` does not exist over plain HTTP. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * The idempotency keys of a dialog or button, one per request. A request without an answer keeps its key, so it takes effect
 * once however often it is sent.
 */
export class IdempotencyKeys {
  private readonly keys = new Map<string, string>();

  keyOf(request: string): string {
    const key = this.keys.get(request) ?? newKey();
    this.keys.set(request, key);
    return key;
  }

  forget(request: string): void {
    this.keys.delete(request);
  }
}

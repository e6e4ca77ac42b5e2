/**
 * Bytes that arrive in pieces, joined once there are as many as somebody waits for: to join them with each piece would cost the
 * square of their number, which is the sender's to choose.
 */
export class PendingBytes {
  private parts: Buffer[] = [];
  private bytes = 0;
  private wanted = 1;

  get isEmpty(): boolean {
    return this.bytes === 0;
  }

  /** @returns all that there is, which is then the caller's; undefined: not enough yet */
  add(chunk: Buffer): Buffer | undefined {
    if (this.bytes === 0) return chunk;
    this.parts.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes < this.wanted) return undefined;
    const all = Buffer.concat(this.parts, this.bytes);
    this.parts = [];
    this.bytes = 0;
    return all;
  }

  /** What could not be used yet, of what `add` returned. @param wanted how much there has to be, with it, before it can */
  keep(rest: Buffer, wanted: number): void {
    // A copy, so that a few bytes do not hold the large buffer that they came in.
    this.parts = [Buffer.from(rest)];
    this.bytes = rest.length;
    this.wanted = wanted;
  }
}

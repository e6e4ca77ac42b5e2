/** What a peer may still send, of a stream or of a connection: RFC 9113 §5.2. */
export class ReceiveWindow {
  private ungranted = 0;

  /** @param size bytes, when all is granted */
  constructor(private readonly size: number) {}

  /** Something has come. @returns false: more than was granted */
  take(bytes: number): boolean {
    this.ungranted += bytes;
    return this.ungranted <= this.size;
  }

  /** What to grant now, as if whatever came was read: in large pieces, so mostly nothing. */
  grant(): number {
    if (this.ungranted <= this.size / 2) return 0;
    const granted = this.ungranted;
    this.ungranted = 0;
    return granted;
  }
}

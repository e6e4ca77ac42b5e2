import type { TenantChange } from '@tollgate/decision-plane/internals';

/** Above this many changed tenants, nodes are told to drop all tenant records instead of a list of them. */
const MAX_NAMED = 500;

/** Passes pages of tenants on, and remembers what has to be said of them. */
export class AnnouncedTenants implements AsyncIterable<readonly TenantChange[]> {
  private readonly named: string[] = [];
  private present = 0;

  /** @param isKnown the tenants are all that changed */
  constructor(
    private readonly pages: AsyncIterable<TenantChange[]> | Iterable<TenantChange[]>,
    private readonly isKnown: boolean,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly TenantChange[], void> {
    for await (const page of this.pages) {
      this.present += page.filter(({ record }) => record !== null).length;
      if (this.named.length <= MAX_NAMED) this.named.push(...page.map(({ tenant }) => tenant));
      yield page;
    }
  }

  /** Records that were written. */
  get count(): number {
    return this.present;
  }

  /** The tenants that changed; null: too many to name, or not known. Complete when all pages are read. */
  get names(): string[] | null {
    return this.isKnown && this.named.length <= MAX_NAMED ? this.named : null;
  }
}

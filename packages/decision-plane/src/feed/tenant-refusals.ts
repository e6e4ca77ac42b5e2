import type { NodeReport } from '@tollgate/contracts';

/** Tenants whose refusal is remembered; of more, the first are as telling. */
const MAX_REFUSED = 100;

/** The longest reason that is told. */
const MAX_REASON_CHARS = 500;

/** Tenants whose newest record cannot be used: what they had before goes on. */
export class TenantRefusals {
  private readonly reasons = new Map<string, string>();

  constructor(
    private readonly options: {
      /** Called when there is one more, or one less. */
      onChange: () => void;
      onError: (message: string, error: unknown) => void;
    },
  ) {}

  /** @param reason null: the record is right again */
  note(tenant: string, reason: string | null): void {
    if (reason === null) {
      if (this.reasons.delete(tenant)) this.options.onChange();
    } else if (!this.reasons.has(tenant) && this.reasons.size < MAX_REFUSED) {
      this.reasons.set(tenant, shortReason(reason));
      this.options.onError(`record of tenant ${tenant} refused`, new Error(reason));
      this.options.onChange();
    }
  }

  /** The oldest of them, told under the revision in force; null when there is none. */
  nack(revision: number): NodeReport['nack'] {
    const [reason] = this.reasons.values();
    return reason === undefined ? null : { revision: Math.max(1, revision), reason };
  }
}

/** A reason as it travels in a report. */
export function shortReason(reason: string): string {
  return reason.slice(0, MAX_REASON_CHARS);
}

import type { Head, NodeReport } from '@tollgate/contracts';
import type { CompiledCatalogue } from '../policy/catalogue.js';
import type { PolicyRecords } from './policy-records.js';
import { shortReason } from './tenant-refusals.js';

/** A revision as it is stored. */
export interface StoredRevision {
  readonly head: Head;
  readonly storedHead: string;
  readonly catalogueText: string;
}

/** A policy that was in force: what a tenant's record goes with that could not be read anew since. */
export interface PastPolicy {
  readonly catalogue: CompiledCatalogue;
  readonly revision: number;
}

/** The revision that a node decides by, and the newer one that it refused. */
export class PolicyInForce {
  private compiled: CompiledCatalogue | undefined;
  private applied: StoredRevision | undefined;
  private refused: { nack: NonNullable<NodeReport['nack']>; storedHead: string } | undefined;

  constructor(
    private readonly records: PolicyRecords,
    /** Called after each refusal. */
    private readonly onRefused: (revision: number, error: unknown) => void,
  ) {}

  /** Undefined before the first. */
  get catalogue(): CompiledCatalogue | undefined {
    return this.compiled;
  }

  /** Undefined before the first. */
  get stored(): StoredRevision | undefined {
    return this.applied;
  }

  /** 0 before the first. */
  get revision(): number {
    return this.applied?.head.revision ?? 0;
  }

  /** Why the newest revision is not in force; undefined when it is. */
  get nack(): NodeReport['nack'] | undefined {
    return this.refused?.nack;
  }

  /** Whether this head was neither put into force nor refused. */
  isNew(storedHead: string): boolean {
    return storedHead !== this.applied?.storedHead && storedHead !== this.refused?.storedHead;
  }

  /** The head under its seal; undefined where it is refused. */
  openHead(storedHead: string): Head | undefined {
    try {
      return this.records.head(storedHead);
    } catch (error) {
      // What it says of itself cannot be believed: it is told as what would come next.
      this.refuse(storedHead, this.revision + 1, error);
      return undefined;
    }
  }

  /**
   * Puts a revision into force; `commitTenants` puts the tenants' records of it into force, in the same turn, and is told
   * what was in force before.
   * @throws Error that says what cannot be used of it; then all is as it was
   */
  apply(next: StoredRevision, commitTenants?: (before: PastPolicy | undefined) => void): void {
    const { head, catalogueText } = next;
    const { compiled, revision } = this;
    if (catalogueText !== this.applied?.catalogueText)
      this.compiled = this.records.catalogue(head, catalogueText);
    commitTenants?.(compiled && { catalogue: compiled, revision });
    this.applied = next;
    this.refused = undefined;
  }

  refuse(storedHead: string, revision: number, error: unknown): void {
    const reason = shortReason(error instanceof Error ? error.message : String(error));
    this.refused = { nack: { revision, reason }, storedHead };
    this.onRefused(revision, error);
  }
}

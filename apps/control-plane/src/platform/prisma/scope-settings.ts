import { scopeKeyOf, signSetting } from '@tollgate/database';
import type { Scope } from '../scope/tenant-scope.js';

/** Scopes of which the signature is kept; more are signed again. */
const KEPT = 1000;

/**
 * Values of the settings that row-level security goes by. They are signed, so that SQL injected into a transaction cannot
 * claim a wider scope: it can read its own signature, which is good for its own scope only.
 */
export class ScopeSettings {
  private readonly key: ReturnType<typeof scopeKeyOf>;
  private readonly kept = new Map<string, string>();

  constructor(secret: string) {
    this.key = scopeKeyOf(secret);
  }

  scope(scope: Scope): string {
    const claim = typeof scope === 'string' ? scope : `tenants:${scope.join(',')}`;
    const kept = this.kept.get(claim);
    if (kept !== undefined) return kept;
    const signed = signSetting(this.key, 'tollgate.scope', claim);
    if (this.kept.size >= KEPT) this.kept.clear();
    this.kept.set(claim, signed);
    return signed;
  }

  /** Lets a transaction see the steps of one idempotency key. */
  request(keyId: string): string {
    return signSetting(this.key, 'tollgate.request', keyId);
  }
}

import type { Impact } from '../../../platform/graphql/mutation.graphql.js';
import type { ReachedGroup } from './impact.rules.js';

/** An impact, with what names and usage are found by when somebody asks for them. */
export interface FoundImpact extends Impact {
  groups: readonly ReachedGroup[];
  /** Tenants that stand for themselves: groups that name none leave them out. */
  single: readonly string[];
}

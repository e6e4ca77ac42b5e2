import type { ImpactFieldsFragment } from '../generated/graphql.js';
import { graphql } from '../generated/index.js';

graphql(`
  fragment ImpactFields on Impact {
    tenants loosened tightened
    sample { tenantKey tenantName loosened tightened }
    overruns { tenantKey tenantName apiKey limitName limit peak at }
  }
`);

/** Whom a change reaches. */
export type Impact = ImpactFieldsFragment;

import type { CohortInput, PublishAudience } from '../../generated/graphql.js';

/** For whom a version is published, as it is being chosen. */
export interface AudienceChoice {
  audience: PublishAudience;
  percent: number | undefined;
  tags: readonly string[];
  tenantKeys: readonly string[];
}

export const EVERYONE: AudienceChoice = {
  audience: 'EVERYONE_NOW',
  percent: undefined,
  tags: [],
  tenantKeys: [],
};

/** What is chosen, as mutations take it; undefined while it is not said who belongs to the part. */
export function cohortOf({ percent, tags, tenantKeys }: AudienceChoice): CohortInput | undefined {
  if (percent === undefined && tags.length === 0 && tenantKeys.length === 0) return undefined;
  return {
    ...(percent === undefined ? {} : { percent }),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(tenantKeys.length === 0 ? {} : { tenantKeys: [...tenantKeys] }),
  };
}

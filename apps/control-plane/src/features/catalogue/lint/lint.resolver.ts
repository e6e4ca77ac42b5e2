import { Args, Int, Query, Resolver } from '@nestjs/graphql';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { TiersRepository } from '../tiers/tiers.repository.js';
import { TiersService } from '../tiers/tiers.service.js';
import { LintFinding } from './lint.graphql.js';
import { LintService } from './lint.service.js';

@Resolver(() => LintFinding)
export class LintResolver {
  constructor(
    private readonly lint: LintService,
    private readonly service: TiersService,
    private readonly tiers: TiersRepository,
  ) {}

  @RequirePermission('tiers:read')
  @Query(() => [LintFinding], {
    name: 'lint',
    description: 'What is wrong or doubtful in the whole catalogue: drafts, published versions, pools.',
  })
  all(): Promise<LintFinding[]> {
    return this.lint.lintAll();
  }

  @RequirePermission('tiers:read')
  @Query(() => [LintFinding], {
    name: 'tierLint',
    nullable: true,
    description: 'What is wrong or doubtful in one version of a tier; null when there is none such.',
  })
  async one(
    @Args('tierKey', { description: 'Key of the tier.' }) tierKey: string,
    @Args('version', {
      type: () => Int,
      nullable: true,
      description:
        'Number of the version; left out: the draft, as it would be published, else the published one.',
    })
    number?: number | null,
  ): Promise<LintFinding[] | null> {
    const tier = await this.service.findByKey(tierKey);
    if (tier === null) return null;
    const version =
      number == null ? await this.tiers.findNewest(tier.id) : await this.tiers.findVersion(tier.id, number);
    return version === null ? null : this.lint.lintVersion(tier, version);
  }
}

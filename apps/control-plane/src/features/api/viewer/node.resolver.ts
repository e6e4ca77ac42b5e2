import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller } from '../../../platform/access/current-caller.decorator.js';
import { RequireSignIn } from '../../../platform/access/require-permission.decorator.js';
import { Node } from '../../../platform/graphql/node.js';
import { kindOfId } from '../../../platform/ids/new-id.js';
import { CatalogueNodes } from './catalogue-nodes.js';
import type { NodeTypes } from './node-types.js';
import { RecordNodes } from './record-nodes.js';
import { SaleNodes } from './sale-nodes.js';
import { TenantNodes } from './tenant-nodes.js';

/** Finds anything by its id alone. */
@Resolver(() => Node)
export class NodeResolver {
  private readonly types: NodeTypes;

  constructor(catalogue: CatalogueNodes, tenants: TenantNodes, sales: SaleNodes, records: RecordNodes) {
    this.types = { ...catalogue.types, ...tenants.types, ...sales.types, ...records.types };
  }

  @RequireSignIn()
  @Query(() => Node, {
    name: 'node',
    nullable: true,
    description:
      'Anything by its id. Null when it does not exist or the caller may not read it: the two look alike.',
  })
  async find(
    @Args('id', { type: () => ID, description: 'Global id.' }) id: string,
    @CurrentCaller() { actor }: Caller,
  ): Promise<object | null> {
    const kind = kindOfId(id);
    const type = kind === undefined ? undefined : this.types[kind];
    const found = (await type?.find(id, actor)) ?? null;
    return found === null ? null : { ...found, __typename: type?.typename };
  }
}

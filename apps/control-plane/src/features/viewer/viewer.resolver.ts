import { Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../platform/access/actor.js';
import { CurrentCaller } from '../../platform/access/current-caller.decorator.js';
import { RequireSignIn } from '../../platform/access/require-permission.decorator.js';
import { Viewer } from './viewer.graphql.js';

@Resolver(() => Viewer)
export class ViewerResolver {
  @RequireSignIn()
  @Query(() => Viewer, { name: 'viewer', description: 'Who is asking, and what they may do.' })
  get(@CurrentCaller() { actor }: Caller): Viewer {
    const { id, name, email, role } = actor;
    return { id, name, email, role, permissions: [...actor.permissions] };
  }
}

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { GraphqlContext } from '../graphql/context.js';
import type { Caller } from './actor.js';

/** The caller that the guard has established; a handler without an authorisation rule never gets here. */
export const CurrentCaller = createParamDecorator(
  async (_: unknown, execution: ExecutionContext): Promise<Caller> => {
    const context = GqlExecutionContext.create(execution).getContext<GraphqlContext>();
    const actor = await context.actor;
    if (actor === undefined) throw new Error('The permission guard did not run');
    return { actor, requestId: context.requestId };
  },
);

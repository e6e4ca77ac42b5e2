import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { GraphqlContext } from '../graphql/context.js';
import type { Caller } from './actor.js';

/** The caller that the guard has established; a handler without an authorisation rule never gets here. */
export const CurrentCaller = createParamDecorator(
  async (_: unknown, execution: ExecutionContext): Promise<Caller> => {
    const graphql = GqlExecutionContext.create(execution);
    const context = graphql.getContext<GraphqlContext>();
    const actor = await context.actor;
    if (actor === undefined) throw new Error('The permission guard did not run');
    const key = String(graphql.getInfo<{ path: { key: string } }>().path.key);
    const steps = context.steps?.of(key);
    const { input } = graphql.getArgs<{ input?: { dryRun?: unknown; force?: unknown } | null }>();
    // Every mutation's input has `dryRun`, those of what a file may keep `force` too.
    return {
      actor,
      requestId: context.requestId,
      address: context.req.ip,
      userAgent: context.req.headers['user-agent'],
      dryRun: input?.dryRun === true,
      force: input?.force === true,
      onImpact: (impact) => context.impacts.set(key, impact),
      ...(steps === undefined ? {} : { steps }),
    };
  },
);

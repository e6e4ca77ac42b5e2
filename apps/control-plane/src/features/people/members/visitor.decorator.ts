import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import type { Visitor } from './visitor.js';

/** Whoever asks, signed in or not. */
export const CurrentVisitor = createParamDecorator(
  async (_: unknown, execution: ExecutionContext): Promise<Visitor> => {
    const graphql = GqlExecutionContext.create(execution);
    const context = graphql.getContext<GraphqlContext>();
    const { input } = graphql.getArgs<{ input?: { dryRun?: unknown } | null }>();
    return {
      actor: await context.actor,
      address: context.req.ip,
      cookie: context.req.headers.cookie,
      requestId: context.requestId,
      dryRun: input?.dryRun === true,
    };
  },
);

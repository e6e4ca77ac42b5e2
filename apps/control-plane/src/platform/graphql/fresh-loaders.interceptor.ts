import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type GqlContextType, GqlExecutionContext } from '@nestjs/graphql';
import type { GraphqlContext } from './context.js';

/**
 * Makes each mutation of a document answer with what is there after it: they run one after another, and loaders would
 * go on answering with what was read for the one before.
 */
@Injectable()
export class FreshLoadersInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler) {
    if (execution.getType<GqlContextType>() === 'graphql') {
      const graphql = GqlExecutionContext.create(execution);
      const { operation } = graphql.getInfo<{ operation: { operation: string } }>();
      if (operation.operation === 'mutation') graphql.getContext<GraphqlContext>().loaders.clear();
    }
    return next.handle();
  }
}

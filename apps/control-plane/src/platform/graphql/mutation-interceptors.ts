import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type GqlContextType, GqlExecutionContext } from '@nestjs/graphql';
import { map } from 'rxjs';
import type { GraphqlContext } from './context.js';

/** Clears loaders before each mutation, because an earlier mutation of the document may have changed the cached values. */
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

/** Adds the impact of a dry run to the payload of its mutation. */
@Injectable()
export class ImpactInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler) {
    if (execution.getType<GqlContextType>() !== 'graphql') return next.handle();
    const graphql = GqlExecutionContext.create(execution);
    const info = graphql.getInfo<{ path: { key: string }; parentType: { name: string } }>();
    if (info.parentType.name !== 'Mutation') return next.handle();
    const { impacts } = graphql.getContext<GraphqlContext>();
    return next
      .handle()
      .pipe(map((payload: object) => ({ ...payload, impact: impacts.get(String(info.path.key)) ?? null })));
  }
}

import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ACCESS_RULE } from './require-permission.decorator.js';

/** Metadata that Nest leaves on GraphQL root handlers and on HTTP handlers. */
const RESOLVER_TYPE = 'graphql:resolver_type';
const HTTP_PATH = 'path';
const ROOT_TYPES = ['Query', 'Mutation', 'Subscription'];

export interface Handler {
  /** Such as `TiersResolver.tierPublish`. */
  name: string;
  guarded: boolean;
}

/** Finds every handler that the outside can reach, so that none is served without an authorisation rule. */
@Injectable()
export class HandlerWalk implements OnApplicationBootstrap {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws Error naming the handlers without a rule: the server does not start. */
  onApplicationBootstrap(): void {
    const open = this.list().filter((handler) => !handler.guarded);
    if (open.length > 0) {
      throw new Error(`Without an authorisation rule: ${open.map((handler) => handler.name).join(', ')}`);
    }
  }

  list(): Handler[] {
    const wrappers = [...this.discovery.getProviders(), ...this.discovery.getControllers()];
    return wrappers.flatMap((wrapper) => {
      const type: unknown = wrapper.metatype;
      if (typeof type !== 'function' || wrapper.isAlias) return [];
      const prototype: unknown = type.prototype;
      if (typeof prototype !== 'object' || prototype === null) return [];
      return handlersOf(type.name, prototype, this.scanner.getAllMethodNames(prototype));
    });
  }
}

function handlersOf(typeName: string, prototype: object, methods: string[]): Handler[] {
  return methods.flatMap((method) => {
    const handler: unknown = Reflect.get(prototype, method);
    if (typeof handler !== 'function') return [];
    const isRoot = ROOT_TYPES.includes(String(Reflect.getMetadata(RESOLVER_TYPE, handler)));
    if (!isRoot && !Reflect.hasMetadata(HTTP_PATH, handler)) return [];
    return [{ name: `${typeName}.${method}`, guarded: Reflect.hasMetadata(ACCESS_RULE, handler) }];
  });
}

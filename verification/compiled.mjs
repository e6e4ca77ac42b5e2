import { registerHooks } from 'node:module';

// Preloaded (`node --import ./verification/compiled.mjs`): programs here import internals of packages and apps from `src`, like
// tests. This resolves such an import to the compiled file in `dist`, so that they measure and break what production runs.

const INTERNAL = /^((?:\.\.\/)+(?:(?:apps|packages)\/[^/]+\/)?)src\/(?=.*\.js$)/;

registerHooks({
  resolve(specifier, context, next) {
    const isOurs = context.parentURL?.includes('/node_modules/') === false;
    return next(isOurs ? specifier.replace(INTERNAL, '$1dist/') : specifier, context);
  },
});

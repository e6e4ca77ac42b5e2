import type { CodegenConfig } from '@graphql-codegen/cli';
import { mutationDocument } from './mutations.js';

const config: CodegenConfig = {
  schema: '../control-plane/schema.graphql',
  documents: ['src/**/*.{ts,tsx}', mutationDocument()],
  ignoreNoDocuments: false,
  emitLegacyCommonJSImports: false,
  generates: {
    'src/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        enumsAsTypes: true,
        useTypeImports: true,
        skipTypename: true,
        scalars: {
          DateTime: 'string',
          JSON: 'unknown',
          JSONObject: 'Record<string, unknown>',
          SafeInt: 'number',
        },
        strictScalars: true,
      },
    },
  },
};

export default config;

// By its file: test runners that prefer ES modules would load graphql a second time beside the CommonJS one that Nest and
// Apollo load, and its classes would not recognise each other.
export {
  GraphQLError,
  type GraphQLFormattedError,
  GraphQLScalarType,
  Kind,
  lexicographicSortSchema,
  printSchema,
} from 'graphql/index.js';

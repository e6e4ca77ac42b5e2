/**
 * How large and how intricate one document may be. What is counted is counted with fragments put in, so that a small
 * text cannot stand for a large one.
 */
export const DOCUMENT_LIMITS = {
  /** Of the text, UTF-16 units. */
  characters: 16_384,
  tokens: 1000,
  operations: 10,
  depth: 12,
  /** Under `__schema` and `__type`, where they are answered at all. */
  introspectionDepth: 15,
  fields: 1000,
  aliases: 15,
  directives: 20,
  /** Lists and objects inside each other, in an argument or a variable. */
  inputDepth: 12,
} as const;

export type DocumentLimit = keyof typeof DOCUMENT_LIMITS;

/** What is left of it when the names of the limits are sentences. */
const WORDS: Record<DocumentLimit, string> = {
  characters: 'characters',
  tokens: 'tokens',
  operations: 'operations',
  depth: 'levels of depth',
  introspectionDepth: 'levels of introspection depth',
  fields: 'fields',
  aliases: 'aliases',
  directives: 'directives',
  inputDepth: 'levels of depth in an input',
};

/** Why a document is refused, in words for people. */
export function beyond(limit: DocumentLimit): string {
  return `The document is too large: ${DOCUMENT_LIMITS[limit]} ${WORDS[limit]} are the most. Split it into several.`;
}

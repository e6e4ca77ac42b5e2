import ts from 'typescript';

const WORD = /[A-Za-z]{2}/;
const SENTENCE = /^[A-Z“]|[a-z] [a-z]/;
/** Attributes whose values people read. */
const READ = new Set(
  'alt aria-label applyLabel description hint keyHint label note placeholder submitLabel title'.split(' '),
);
/** Names and code, the same in every language. */
const NOT_LANGUAGE = /^(?:Tollgate|TOLLGATE_[A-Z]+|HTTP\/[\d.]+)$/;

/**
 * Texts in the markup of a component that no table of messages holds: what stands between tags, and what attributes say that are
 * read, as `line: text`.
 * @param {string} source of a .tsx file
 */
export function findRawTexts(source) {
  const file = ts.createSourceFile('x.tsx', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found = [];
  const note = (node, text) => {
    const said = text.replace(/\s+/g, ' ').trim();
    if (!WORD.test(said) || NOT_LANGUAGE.test(said)) return;
    found.push(`${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${said}`);
  };
  const visit = (node) => {
    if (ts.isJsxText(node)) note(node, node.text);
    if (ts.isJsxAttribute(node) && READ.has(node.name.getText()) && node.initializer) {
      for (const text of stringsOf(node.initializer)) if (SENTENCE.test(text)) note(node, text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The texts that an attribute may have: its string, its template, or either side of a choice. */
function stringsOf(node) {
  if (ts.isJsxExpression(node)) return node.expression ? stringsOf(node.expression) : [];
  if (ts.isConditionalExpression(node)) return [...stringsOf(node.whenTrue), ...stringsOf(node.whenFalse)];
  if (ts.isTemplateExpression(node)) {
    return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' ')];
  }
  return ts.isStringLiteralLike(node) ? [node.text] : [];
}

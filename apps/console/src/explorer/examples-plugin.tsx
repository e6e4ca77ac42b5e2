import { type GraphiQLPlugin, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { EXAMPLES, type Example } from './examples.js';

function Examples() {
  const { addTab, setVisiblePlugin } = useGraphiQLActions();
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const open = ({ query, variables }: Example) => {
    if (queryEditor?.getValue().trim()) addTab();
    queryEditor?.setValue(query);
    variableEditor?.setValue(variables === undefined ? '' : JSON.stringify(variables, null, 2));
    // There the list covers the editor.
    if (window.matchMedia('(max-width: 700px)').matches) setVisiblePlugin(null);
  };
  return (
    <section>
      <h2>Examples</h2>
      <p>Each opens in a tab of its own. Those that change something are dry runs.</p>
      <ul className="examples">
        {EXAMPLES.map((example) => (
          <li key={example.title}>
            <button type="button" onClick={() => open(example)}>
              <strong>{example.title}</strong>
              <span>{example.what}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Icon() {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      role="img"
      aria-label="Examples"
    >
      <path d="M5 4h9l5 5v11H5z M14 4v5h5 M8 13h8 M8 16.5h5" />
    </svg>
  );
}

/** The most useful documents, one click away. */
export const EXAMPLES_PLUGIN: GraphiQLPlugin = { title: 'Examples', icon: Icon, content: Examples };

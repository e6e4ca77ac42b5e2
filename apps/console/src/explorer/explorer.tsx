import { type GraphiQLPlugin, useEditorContext, usePluginStore } from '@graphiql/react';
import { GraphiQL } from 'graphiql';
import { type GraphQLSchema, getOperationAST, parse } from 'graphql';
import { createClient, type RequestParams } from 'graphql-sse';
import { colorSchemeManager } from '../app/theme.js';
import { EXAMPLES, type Example } from './examples.js';

interface Request {
  query: string;
  operationName?: string | null;
  variables?: unknown;
}

/** Executes an operation with the headers of the editor: subscriptions as a stream, others as a request. */
export function ask(request: Request, { headers = {} }: { headers?: Record<string, string> } = {}) {
  const body = { ...request, operationName: request.operationName ?? undefined } as RequestParams;
  if (getOperationAST(parse(request.query), request.operationName)?.operation === 'subscription') {
    const client = createClient({ url: '/graphql/stream', headers, retryAttempts: 0 });
    return client.iterate<Record<string, unknown>, Record<string, unknown>>(body);
  }
  return fetch('/graphql', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).then((response) => response.json());
}

function Examples() {
  const { addTab, queryEditor, variableEditor } = useEditorContext({ nonNull: true });
  const { setVisiblePlugin } = usePluginStore();
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
      <p>Each opens in a new tab. Mutations are dry runs.</p>
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

export const EXAMPLES_PLUGIN: GraphiQLPlugin = { title: 'Examples', icon: Icon, content: Examples };

/** GraphiQL in the color scheme of the console. */
export function Explorer({ schema }: { schema: GraphQLSchema }) {
  const scheme = colorSchemeManager.get('auto');
  const theme = scheme === 'auto' ? {} : { forcedTheme: scheme };
  return (
    <GraphiQL
      schema={schema}
      fetcher={ask}
      plugins={[EXAMPLES_PLUGIN]}
      defaultQuery={EXAMPLES[0]?.query ?? ''}
      isHeadersEditorEnabled
      {...theme}
    >
      <GraphiQL.Logo>
        <a className="explorer-home" href="/">
          Tollgate
        </a>
      </GraphiQL.Logo>
    </GraphiQL>
  );
}

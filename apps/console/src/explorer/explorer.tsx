import { GraphiQL } from 'graphiql';
import type { GraphQLSchema } from 'graphql';
import { colorSchemeManager } from '../app/color-scheme.js';
import { EXAMPLES } from './examples.js';
import { EXAMPLES_PLUGIN } from './examples-plugin.js';
import { ask } from './fetcher.js';

/** GraphiQL on our own schema, in the color scheme that the reader chose in the console. */
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

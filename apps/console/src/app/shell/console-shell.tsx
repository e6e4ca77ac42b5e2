import { NoticeBell } from '../../features/notices/components/notice-bell.js';
import { PaletteHost } from '../palette/palette-host.js';
import { Frame } from './frame.js';
import { Navigation } from './navigation.js';
import { SearchButton } from './search-button.js';

/** The operators' console. */
export function ConsoleShell() {
  return (
    <PaletteHost>
      {(openPalette) => (
        <Frame
          home={{ to: '/' }}
          beside={<NoticeBell />}
          search={<SearchButton onOpen={openPalette} />}
          navigation={(onNavigate) => <Navigation onNavigate={onNavigate} />}
        />
      )}
    </PaletteHost>
  );
}

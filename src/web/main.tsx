import { render } from 'preact';
import { App } from './app.tsx';
import { catchEarlyKeys } from './search/early-keys.ts';
import { restoreTheme } from './shell/theme.ts';

restoreTheme();
catchEarlyKeys();
render(<App />, document.getElementById('app') as HTMLElement);

import { render } from 'preact';
import { App } from './app.tsx';
import { restoreTheme } from './shell/theme.ts';

restoreTheme();
render(<App />, document.getElementById('app') as HTMLElement);

// The theme of VitePress with system fonts and the colours of svc. npm run site adds tokens.css from packages/look.
import Theme from 'vitepress/theme-without-fonts';
import './tokens.css';
import './style.css';

export default Theme;

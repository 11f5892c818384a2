// The page without an agent.
import { App } from './app.tsx';
import { StandaloneWelcome } from './open/standalone-welcome.tsx';

export function StandalonePage() {
  return <App parts={{ Welcome: StandaloneWelcome }} />;
}

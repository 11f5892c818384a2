// The entry of the page that an agent serves.
import { startEngine } from './client/engine-client.ts';
import { startSession } from './client/session.ts';
import { AgentPage } from './shell/agent-page.tsx';
import { addCommands } from './shell/commands/commands.ts';
import { SESSION_COMMANDS } from './shell/commands/session-commands.ts';
import { startPage } from './shell/start-page.tsx';
import { agentFiles } from './traces/agent-files.ts';
import { sendNotesToAgent } from './traces/agent-notes.ts';
import { followAgentTrace } from './traces/follow-agent.ts';
import { connectFiles } from './traces/open-file.ts';

// The worker is named by its address: the page imports none of its code.
startEngine(
  () =>
    new Worker(new URL('./engine/agent-engine.ts', import.meta.url), {
      type: 'module',
      name: 'engine',
    }),
);
startSession();
connectFiles(agentFiles);
addCommands(SESSION_COMMANDS);
followAgentTrace();
sendNotesToAgent();
startPage(AgentPage);

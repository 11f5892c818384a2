// The worker's entry in the agent's page.
import { answerCalls } from './engine.ts';
import { fetchMore } from './fetch-trace.ts';

answerCalls(fetchMore);

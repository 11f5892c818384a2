// The worker's entry in a page without an agent. It contains no code that opens a connection.
import { answerCalls } from './engine.ts';

answerCalls(null);

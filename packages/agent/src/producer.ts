// The name of the agent in the header of its recordings.

export const AGENT_PRODUCER = 'svc agent';

// Asks one question at a time. A question that is asked meanwhile waits, and a later one replaces it.

export class LatestCall<Question, Answer> {
  readonly #ask: (question: Question) => Promise<Answer>;
  readonly #take: (answer: Answer) => void;
  #next: { readonly question: Question } | null = null;
  #asking = false;

  /** `take` receives each answer. A question that fails has none. */
  constructor(ask: (question: Question) => Promise<Answer>, take: (answer: Answer) => void) {
    this.#ask = ask;
    this.#take = take;
  }

  ask(question: Question): void {
    this.#next = { question };
    if (!this.#asking) void this.#run();
  }

  async #run(): Promise<void> {
    this.#asking = true;
    while (this.#next !== null) {
      const { question } = this.#next;
      this.#next = null;
      const answer = await this.#ask(question).catch(() => null);
      if (answer !== null) this.#take(answer);
    }
    this.#asking = false;
  }
}

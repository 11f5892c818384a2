// Uses a page as a person does, and counts each action as docs/questions.md does.
import type { FileChooser, Locator, Page } from 'playwright-core';
import { until } from '../../scripts/until.ts';

export class CountedHand {
  readonly page: Page;
  #actions = 0;
  #chooser: FileChooser | null = null;

  constructor(page: Page) {
    this.page = page;
    page.on('filechooser', (chooser) => {
      this.#chooser = chooser;
    });
  }

  /** The number of actions so far. */
  get actions(): number {
    return this.#actions;
  }

  async press(key: string): Promise<void> {
    this.#actions++;
    await this.page.keyboard.press(key);
  }

  async click(place: Locator): Promise<void> {
    this.#actions++;
    await place.click();
  }

  /** Moves the pointer to a part of the width of an element, 0 to 1. */
  async pointAt(element: Locator, part: number): Promise<void> {
    this.#actions++;
    const box = await element.boundingBox();
    if (box === null) throw new Error('The element is not visible.');
    await this.page.mouse.move(box.x + box.width * part, box.y + box.height / 2);
  }

  /** Clicks at a part of the width of an element, 0 to 1. */
  async clickAt(element: Locator, part: number): Promise<void> {
    this.#actions++;
    const box = await element.boundingBox();
    if (box === null) throw new Error('The element is not visible.');
    await this.page.mouse.click(box.x + box.width * part, box.y + box.height / 2);
  }

  /** Chooses a file in the dialog that the page has opened. */
  async choose(name: string, text: string): Promise<void> {
    this.#actions++;
    const chooser = await until(
      () => this.#chooser,
      (opened) => opened !== null,
      'the dialog of the browser to open',
    );
    await chooser?.setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  }
}

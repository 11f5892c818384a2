// A page with the elements that the overlay uses.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import * as svc from '../src/index.ts';
import { addOverlay } from '../src/overlay/overlay.ts';
import { Page, setGlobal } from './recorded.ts';

/** The part of an element that the panel uses. */
export class FakeElement extends EventTarget {
  readonly tag: string;
  readonly children: unknown[] = [];
  parent: FakeElement | null = null;
  textContent = '';
  title = '';
  disabled = false;
  hidden = false;
  readonly attributes: Record<string, string> = {};

  constructor(tag = '') {
    super();
    this.tag = tag;
  }

  append(...nodes: unknown[]): void {
    this.children.push(...nodes);
    for (const node of nodes) if (node instanceof FakeElement) node.parent = this;
  }

  remove(): void {
    this.parent?.children.splice(this.parent.children.indexOf(this), 1);
    this.parent = null;
  }

  attachShadow(): FakeElement {
    const root = new FakeElement();
    this.append(root);
    return root;
  }

  setAttribute(name: string, value: string): void {
    this.attributes[name] = value;
  }

  getContext(): null {
    return null;
  }

  get all(): FakeElement[] {
    const inner = this.children.flatMap((one) => (one instanceof FakeElement ? one.all : []));
    return [this, ...inner];
  }

  /** All of its texts, in order. */
  get texts(): string[] {
    return [
      this.textContent,
      ...this.children.flatMap((one) =>
        one instanceof FakeElement ? one.texts : [String(Object(one).data)],
      ),
    ].filter((text) => text !== '');
  }
}

class FakePage extends Page {
  readonly body = new FakeElement();
  createElement(tag: string): FakeElement {
    return new FakeElement(tag);
  }
  createTextNode(data: string): object {
    return { data };
  }
}

/** A page whose timers, keys and frames a test controls. Its overlay and its recording end with the test. */
export function openPage(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  t.after(() => {
    svc.stop();
    addOverlay()();
  });
  const page = new FakePage();
  const view = new EventTarget();
  const asked: ((time: number) => void)[] = [];
  const cancelled: unknown[] = [];
  setGlobal(t, 'document', page);
  setGlobal(t, 'addEventListener', view.addEventListener.bind(view));
  setGlobal(t, 'removeEventListener', view.removeEventListener.bind(view));
  setGlobal(t, 'requestAnimationFrame', (tick: (time: number) => void) => asked.push(tick));
  setGlobal(t, 'cancelAnimationFrame', (handle: unknown) => cancelled.push(handle));
  setGlobal(
    t,
    'CSSStyleSheet',
    class {
      replaceSync(): void {}
    },
  );
  /** Presses a key. Returns whether the default action was prevented. */
  const press = (code: string, repeat = false): boolean => {
    const event = Object.assign(new Event('keydown', { cancelable: true }), { code, repeat });
    return !view.dispatchEvent(event);
  };
  const panel = (): FakeElement => {
    const [host] = page.body.children;
    assert.ok(host instanceof FakeElement, 'the panel is not open');
    return host;
  };
  const button = (text: string): FakeElement => {
    const found = panel().all.find((one) => one.textContent === text);
    assert.ok(found, `there is no button ${text}`);
    return found;
  };
  return { page, asked, cancelled, press, panel, button, isOpen: () => page.body.children.length };
}

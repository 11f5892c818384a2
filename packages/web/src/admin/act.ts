// Acts of administrators: forms that change one user, game or report, on the page about it.
import { describeRejection, type Outcome } from '../dashboard/forms/outcome.ts';
import type { DeveloperVisit } from '../dashboard/member.ts';
import type { Page } from '../page/page.ts';
import type { Answer } from '../routes/route.ts';
import { sentForm } from '../visit/visit.ts';

/** Shows the page with the result of an act. */
type Show = (visit: DeveloperVisit, outcome: Outcome) => Promise<Page>;

/**
 * Does the work and returns to the page, which is one step above the address of the act and says what was `done`. A rejection is shown
 * there.
 */
export async function act(
  visit: DeveloperVisit,
  show: Show,
  done: string,
  work: () => Promise<unknown>,
): Promise<Answer> {
  try {
    await work();
  } catch (error) {
    return show(visit, describeRejection(error));
  }
  const { pathname } = visit.url;
  return { to: `${pathname.slice(0, pathname.lastIndexOf('/'))}?done=${done}` };
}

/** Shows the page with a fault of one field. */
export function rejected(
  visit: DeveloperVisit,
  show: Show,
  text: string,
  name: string,
): Promise<Answer> {
  return show(visit, { status: 400, text, faults: { [name]: text } });
}

/** A field of the submitted form without spaces around it; empty if it is missing. */
export function field(visit: DeveloperVisit, name: string): string {
  return sentForm(visit).get(name)?.trim() ?? '';
}

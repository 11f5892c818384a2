// The last question to a model, and the form for the next one.
import { type Derived, question } from './analysis-state.ts';
import { AskModel } from './ask-model.tsx';
import { LastQuestion } from './last-question.tsx';

export function ModelQuestions({ shown }: { readonly shown: Derived | null }) {
  return (
    <>
      {question.value !== null && <LastQuestion question={question.value} />}
      {shown !== null && <AskModel shown={shown} />}
    </>
  );
}

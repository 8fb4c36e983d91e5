// The question about middleware in the request for a page, and the verdict in its response (X15): in one exchange the renderer
// runs middleware and renders the page that middleware lets pass. The verdict is JSON in printable ASCII.

import { PASSED_QUESTION_LIMIT_BYTES } from '../constants.ts'
import { asciiJson } from '../json/ascii-json.ts'
import { parseJson } from '../json/json-value.ts'
import { type MiddlewareQuestion, type MiddlewareVerdict, parseVerdict } from './verdict.ts'

/** What the request for the page does not say itself. */
export type PassedQuestion = Pick<MiddlewareQuestion, 'build' | 'url' | 'dataBuild'>

/** The value of the header `verdict` where the body is the JSON of the verdict. */
export const VERDICT_IN_BODY = 'body'

/** Whether a question is short enough for a header. */
export function fitsIntoHeader(question: PassedQuestion): boolean {
  return bounded(asciiJson(question)) !== undefined
}

/** The verdict of a page that was let pass; undefined where the verdict has to take the place of the page. */
export function formatPassedVerdict(verdict: MiddlewareVerdict): string | undefined {
  return verdict.kind === 'next' ? bounded(asciiJson(verdict)) : undefined
}

/** SECURITY: undefined for everything that is not the verdict of a page that was let pass. */
export function parsePassedVerdict(text: string | undefined): MiddlewareVerdict | undefined {
  const verdict = text === undefined ? undefined : parseVerdict(parseJson(text))
  return verdict?.kind === 'next' ? verdict : undefined
}

function bounded(text: string): string | undefined {
  return text.length > PASSED_QUESTION_LIMIT_BYTES ? undefined : text
}

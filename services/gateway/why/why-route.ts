// The inner endpoint that explains a request (O9): POST /internal/why with a WhyQuestion; responds with a WhyExplanation.

import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { type InnerRoute, sendJson } from '@portico/shared/kit/life/inner-port.ts'
import type { Explain } from './explain.ts'
import { WHY_PATH } from './explanation.ts'
import { parseWhyQuestion } from './why-question.ts'

export function createWhyRoute(explain: Explain): InnerRoute {
  return {
    method: 'POST',
    path: WHY_PATH,
    async handler(body, _request, response) {
      const question = parseWhyQuestion(body)
      if ('rule' in question) return sendError(response, 'data', { code: 'bad-request', message: question.rule })
      sendJson(response, 200, await explain(question))
    },
  }
}

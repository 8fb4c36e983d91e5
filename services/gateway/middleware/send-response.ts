// Sends the response that middleware made itself (X15), with framing and security headers of the gateway.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { CACHE_NONE } from '@portico/shared/wire/constants.ts'
import type { MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { exchangeOf } from '../request/exchange.ts'
import type { GatewayHeaders } from '../rules/gateway-headers.ts'

export type ResponseSender = ReturnType<typeof createResponseSender>

export function createResponseSender(gatewayHeaders: GatewayHeaders) {
  return (
    request: IncomingMessage,
    response: ServerResponse,
    { status, body, responseHeaders }: Extract<MiddlewareVerdict, { kind: 'response' }>,
  ): void => {
    const bytes = Buffer.from(body, 'base64')
    // RFC 9110 section 15: these have no content.
    const isEmpty = status === 204 || status === 205 || status === 304
    const headers = isEmpty ? [] : ['content-length', String(bytes.length)]
    const type = responseHeaders.find(([name]) => name === 'content-type')
    if (type && !isEmpty) headers.push(...type)
    const isRuled = gatewayHeaders.addTo(headers, (name) => name === 'content-type', request)
    if (!isRuled) headers.push('cache-control', CACHE_NONE)
    gatewayHeaders.cdn?.ofOther(headers, exchangeOf(request), { status })
    response.writeHead(status, headers)
    response.end(isEmpty || request.method === 'HEAD' ? undefined : bytes)
  }
}

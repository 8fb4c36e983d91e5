// A request that no client has sent, and the response that the steps and senders of the gateway would give to it.

import { IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { WhyQuestion } from '../explanation.ts'

/** As node:http would parse it, without a body. Its socket is not connected. */
export function madeRequest({ method, url, headers, client }: WhyQuestion): IncomingMessage {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: client })
  const request = new IncomingMessage(socket)
  request.method = method
  request.url = url
  request.httpVersion = '1.1'
  request.httpVersionMajor = 1
  request.httpVersionMinor = 1
  // The getter of the class reads rawHeaders, as all readers do.
  for (const [name, value] of Object.entries(headers)) request.rawHeaders.push(name, value)
  request.headers = { ...headers }
  request.complete = true
  request.push(null)
  return request
}

/** Takes a response and sends nothing. */
export class TakenResponse extends ServerResponse {
  #isDone = false
  readonly #headers: [name: string, value: string][] = []
  readonly done = new Promise<void>((resolve) => this.once('taken', resolve))

  override writeHead(status: number, ...given: unknown[]): this {
    this.statusCode = status
    const headers = given.at(-1)
    if (Array.isArray(headers))
      for (let at = 0; at < headers.length; at += 2) this.#headers.push([String(headers[at]), String(headers[at + 1])])
    else if (typeof headers === 'object') this.#add(headers as OutgoingHttpHeaders)
    return this
  }

  /** The head is known once a body begins: no more of a file is read. */
  override write(_chunk: unknown, ...given: unknown[]): boolean {
    this.end()
    const written = given.at(-1)
    if (typeof written === 'function') queueMicrotask(() => written(new Error('no client receives the response')))
    return true
  }

  override end(): this {
    if (!this.#isDone) this.#add(this.getHeaders())
    this.#isDone = true
    this.emit('taken')
    return this
  }

  #add(headers: OutgoingHttpHeaders): void {
    const list = (value: OutgoingHttpHeader | undefined) => (value === undefined ? [] : [value].flat())
    for (const [name, value] of Object.entries(headers))
      for (const each of list(value)) this.#headers.push([name.toLowerCase(), String(each)])
  }

  get head(): readonly (readonly [name: string, value: string])[] {
    return this.#headers
  }
}

// Calls between two processes over their channel: plain data, each with a time limit, bounded in number.

/** What one side responds to, by the name of the call. */
type Handlers = { readonly [name: string]: (argument: never) => unknown }

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'fault'; readonly id: number; readonly reason: string }

/** The other side does not respond, or refused the call. */
class CallError extends Error {
  override name = 'CallError'
}

interface CallsOptions<Own extends Handlers> {
  /** Returns false, or throws, where the channel is closed. */
  send: (message: unknown) => unknown
  handlers: Own
  /** Calls that may wait for a response at a time. */
  most?: number
}

export interface Calls<Other extends Handlers> {
  /** Rejects with CallError at the time limit, and when the channel is closed. */
  call<Name extends keyof Other & string>(
    name: Name,
    argument: Parameters<Other[Name]>[0],
    limitMs: number,
  ): Promise<Awaited<ReturnType<Other[Name]>>>
  /** Takes a message of the channel; ignores those of others. */
  receive(message: unknown): void
  /** Rejects all calls that wait. */
  close(): void
}

/** Requests that take a turn are the most frequent calls: one for each form that a client sends. */
const MOST_WAITING = 10_000

interface Waiting {
  readonly end: (fault: CallError | undefined, value?: unknown) => void
}

export function createCalls<Other extends Handlers>(options: CallsOptions<Handlers>): Calls<Other> {
  const { send, handlers, most = MOST_WAITING } = options
  const waiting = new Map<number, Waiting>()
  let isClosed = false
  let lastId = 0

  const respond = async (id: number, name: string, argument: unknown) => {
    let message: Message
    try {
      const handler = handlers[name]
      if (!handler) throw new CallError(`${name} is not a call`)
      // The other process runs the same sources: Calls has the types of both sides.
      message = { kind: 'result', id, value: await handler(argument as never) }
    } catch (error) {
      message = { kind: 'fault', id, reason: error instanceof Error ? error.message : String(error) }
    }
    if (!isClosed) send(message)
  }

  return {
    call(name, argument, limitMs) {
      return new Promise((resolve, reject) => {
        if (isClosed) return reject(new CallError(`${name}: the channel is closed`))
        if (waiting.size >= most) return reject(new CallError(`${name}: ${most} calls wait already`))
        const id = ++lastId
        const timer = setTimeout(() => end(new CallError(`${name}: no response within ${limitMs} ms`)), limitMs)
        const end: Waiting['end'] = (fault, value) => {
          clearTimeout(timer)
          waiting.delete(id)
          if (fault) reject(fault)
          // The type of the handler on the other side.
          else resolve(value as Awaited<ReturnType<Other[typeof name]>>)
        }
        waiting.set(id, { end })
        send({ kind: 'call', id, name, argument } satisfies Message)
      })
    },
    receive(received) {
      const message = parseMessage(received)
      if (message?.kind === 'call') void respond(message.id, message.name, message.argument)
      else if (message?.kind === 'result') waiting.get(message.id)?.end(undefined, message.value)
      else if (message) waiting.get(message.id)?.end(new CallError(message.reason))
    },
    close() {
      isClosed = true
      for (const { end } of [...waiting.values()]) end(new CallError('the channel is closed'))
    },
  }
}

/** Undefined for messages of other parts, such as node:cluster. */
function parseMessage(value: unknown): Message | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { kind, id } = value as Record<string, unknown>
  const isOwn = typeof id === 'number' && (kind === 'call' || kind === 'result' || kind === 'fault')
  // The other process is of the same sources.
  return isOwn ? (value as Message) : undefined
}

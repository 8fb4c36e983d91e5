// A closed loop over plain sockets: each of its clients sends the next request when a response is complete. A client of
// node:http would need more processor time than the services that it measures.

import { connect, type Socket } from 'node:net'

export interface ClosedLoop {
  inFlight: number
  seconds: number
  path: string
}

export interface LoopFigures {
  perSecond: number
  /** Milliseconds within which this share of the requests had their response. */
  at: (share: number) => number
  /** Age of the oldest request that had no response at the end: a starved one is in no other figure. */
  oldestMs: number
  /** How many ended otherwise than with 200, by status or error. */
  failed: ReadonlyMap<string, number>
}

/** Addresses of different networks for every limit (IPv4: each address is one). */
const NETWORKS = 200
/** The requests of one connection; the numbers differ between clients at first, so that not all reconnect together. */
const REQUESTS_PER_CONNECTION = 10

/** Runs the loop; all its first requests are sent in the same moment. */
export function runClosedLoop(url: string, { inFlight, seconds, path }: ClosedLoop): Promise<LoopFigures> {
  const { hostname: host, port } = new URL(url)
  const times: number[] = []
  const failed = new Map<string, number>()
  const clients = Array.from({ length: inFlight }, (_, number) =>
    startClient({
      open: () =>
        connect({ host, port: Number(port), localAddress: `127.1.0.${1 + (number % NETWORKS)}`, noDelay: true }),
      head: (isLast) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${isLast ? 'connection: close\r\n' : ''}\r\n`,
      first: number % REQUESTS_PER_CONNECTION,
      onEnd(ms, fault) {
        if (fault === undefined) times.push(ms)
        else failed.set(fault, (failed.get(fault) ?? 0) + 1)
      },
    }),
  )
  return new Promise((resolve) => {
    setTimeout(() => {
      const ages = clients.map(({ ageMs }) => ageMs())
      for (const client of clients) client.stop()
      times.sort((left, right) => left - right)
      const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
      resolve({ perSecond: times.length / seconds, at, oldestMs: Math.max(...ages), failed })
    }, seconds * 1000)
  })
}

interface ClientOptions {
  open: () => Socket
  head: (isLast: boolean) => string
  /** Requests that count as sent on the first connection. */
  first: number
  /** `fault`: why the request had no response with status 200. */
  onEnd: (ms: number, fault?: string) => void
}

function startClient({ open, head, first, onEnd }: ClientOptions) {
  let socket: Socket | undefined
  let sent = first
  let startedAt = performance.now()
  let isStopped = false
  let missing = Number.NaN
  let fault: string | undefined

  const send = () => {
    startedAt = performance.now()
    missing = Number.NaN
    fault = undefined
    sent++
    socket ??= openSocket()
    socket.write(head(sent >= REQUESTS_PER_CONNECTION))
  }
  const openSocket = () => {
    const opened = open()
    opened.on('data', (bytes: Buffer) => socket === opened && receive(bytes))
    const lose = (why: string) => {
      if (socket !== opened) return
      missing = 0
      fault = why
      end()
    }
    opened.on('error', (error: NodeJS.ErrnoException) => lose(error.code ?? error.message))
    opened.on('close', () => lose('closed'))
    return opened
  }
  const receive = (bytes: Buffer) => {
    if (Number.isNaN(missing)) {
      // A head arrives in one piece: each service writes it in one call, and it is shorter than a packet of the loopback.
      const head = bytes.subarray(0, bytes.indexOf('\r\n\r\n') + 4).toString('latin1')
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
      if (length === undefined) throw new Error(`a response without a length:\n${head}`)
      if (!head.startsWith('HTTP/1.1 200')) fault = head.slice(9, 12)
      missing = head.length + Number(length)
    }
    missing -= bytes.length
    if (missing === 0) end()
  }
  const end = () => {
    if (isStopped) return
    onEnd(performance.now() - startedAt, fault)
    if (fault !== undefined || sent >= REQUESTS_PER_CONNECTION) {
      const last = socket
      socket = undefined
      sent = 0
      last?.destroy()
    }
    // A refused connection is not tried again in the same turn.
    if (fault === undefined) send()
    else setTimeout(() => isStopped || send(), 100)
  }
  send()
  return {
    ageMs: () => performance.now() - startedAt,
    stop() {
      isStopped = true
      socket?.destroy()
    },
  }
}

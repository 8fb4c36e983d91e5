// How long Redis takes for commands (O7): a slow store is not away, and everything that waits for it is late. The histogram is
// that of the process, because connections are opened far from the registry that is scraped.

import { Histogram, type Registry } from '@prometheus-io/client'

const seconds = new Histogram({
  name: 'portico_redis_command_seconds',
  help: 'Time from a command of Redis to its reply, time limits included, by store and by what the connection is for.',
  labelNames: ['store', 'kind'],
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  registers: [],
})

export function addRedisTimes(registry: Registry): void {
  // The cast: a registry takes metrics with any labels.
  registry.registerMetric(seconds as Histogram)
}

interface SentCommand {
  promise: Promise<unknown>
}

interface Sender {
  readonly status: string
  // biome-ignore lint/suspicious/noExplicitAny: the arguments of both clients of ioredis differ, and are passed on as they are
  sendCommand(command: SentCommand & any, ...rest: any[]): unknown
}

/** Measures each command of a connection that is open; without one a command fails immediately. */
export function timeCommands<T extends Sender>(redis: T, labels: { store: 'state' | 'cache'; kind: string }): T {
  const sender: Sender = redis
  const send = sender.sendCommand.bind(redis)
  sender.sendCommand = (command, ...rest) => {
    const begunAt = redis.status === 'ready' ? performance.now() : undefined
    const sent = send(command, ...rest)
    if (begunAt === undefined) return sent
    const observe = () => seconds.observe(labels, (performance.now() - begunAt) / 1000)
    // The caller handles the fault.
    command.promise.then(observe, observe)
    return sent
  }
  return redis
}

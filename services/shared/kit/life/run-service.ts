// A service as a process: settings, log, tracing, signals and exit codes. serve.ts has the life between them.

import { BAD_SETTINGS_CODE, ConfigError, type Environment } from '../config/config.ts'
import { createLog, createOutput, type Log, type Output, SHARED_OUTPUT_BYTES } from '../observe/log.ts'
import type { TracingConfig } from '../observe/tracer.ts'
import { startTracing } from '../observe/tracing.ts'
import type { Service } from './serve.ts'

/** A reader of the log that takes nothing does not keep the process longer. */
const LOG_LIMIT_MS = 500

interface ProcessConfig {
  logLevel: string
  tracing: TracingConfig
}

/**
 * The whole of a service's main.ts. Exit code 0 after a drain, BAD_SETTINGS_CODE for rejected settings, 1 when the
 * service cannot start for another reason or misses the deadline of the drain. `worker` is the number of one of several
 * processes of the service, which is in its log lines.
 */
export async function runService<Config extends ProcessConfig>(
  name: string,
  environment: Environment,
  readConfig: (environment: Environment, warn: (message: string) => void) => Config,
  start: (config: Config, log: Log) => Promise<Service>,
  worker?: number,
): Promise<void> {
  const output = createOutput(worker === undefined ? undefined : SHARED_OUTPUT_BYTES)
  const fields = { service: name, ...(worker !== undefined && { worker }) }
  // Until the settings are read, no setting can hide their faults.
  let log = createLog(fields, 'info', output)
  let service: Service | undefined
  stopOnSignals((signal) => stopService(service, log, signal, output))
  try {
    const config = readConfig(environment, (message) => {
      // Else the stack, or the primary of a gateway, has warned of the same names.
      if (!process.connected) log.warn(message)
    })
    log = createLog(fields, config.logLevel, output)
    await startTracing(name, config, log)
    service = await start(config, log)
    // To the stack, whose probes wait for it, and which may have ended; a worker's channel is that of its primary.
    if (worker === undefined) process.send?.('listening', undefined, undefined, () => {})
  } catch (error) {
    const code = reportFailedStart(error, log)
    await output.drain(LOG_LIMIT_MS)
    process.exit(code)
  }
}

function stopOnSignals(stop: (signal: string) => void): void {
  let isStopping = false
  const stopOnce = (signal: string) => {
    if (!isStopping) stop(signal)
    isStopping = true
  }
  process.on('SIGTERM', () => stopOnce('SIGTERM'))
  process.on('SIGINT', () => stopOnce('SIGINT'))
  // Started by the stack: a stack that was killed hard is noticed only by the end of its channel.
  if (process.connected) process.on('disconnect', () => stopOnce('disconnect'))
}

async function stopService(service: Service | undefined, log: Log, signal: string, output: Output): Promise<void> {
  log.info({ event: 'draining', signal }, 'draining')
  const { finished } = (await service?.stop()) ?? { finished: true }
  // The log has no reader any more: an exit that first writes the rest of the log would wait for ever.
  if (signal === 'disconnect') process.kill(process.pid, 'SIGKILL')
  log.info({ event: 'stopped', finished }, finished ? 'stopped' : 'deadline reached with requests still running')
  await output.drain(LOG_LIMIT_MS)
  process.exit(finished ? 0 : 1)
}

/** Returns the exit code. */
function reportFailedStart(error: unknown, log: Log): number {
  if (error instanceof ConfigError) {
    // One line per fault, without a stack: name, value and rule are sufficient.
    for (const fault of error.message.split('\n')) log.fatal({ event: 'bad-setting' }, fault)
    return BAD_SETTINGS_CODE
  }
  log.fatal({ error }, error instanceof Error ? error.message : 'cannot start')
  return 1
}

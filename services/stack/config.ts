// The settings that the stack itself reads. All other variables are passed to the services unchanged.

import { type Environment, LOG_LEVELS, readConfig, readDrain, readFolders } from '@portico/shared/kit/config/config.ts'

/** Reads the stack's settings. Throws ConfigError with all faults. */
export function readStackConfig(environment: Environment, warn: (message: string) => void) {
  return readConfig(
    environment,
    (read) => {
      return {
        host: read.text('HOST'),
        port: read.port('PORT'),
        ...readFolders(read),
        stackToken: read.optionalText('STACK_TOKEN', 32),
        actionKeys: read.optionalText('ACTION_KEYS', 32),
        logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS),
        // No balancer is in front of one machine's gateway, so that no delay is needed.
        ...readDrain(read, 0),
        inherited: environment,
      }
    },
    warn,
  )
}

export type StackConfig = ReturnType<typeof readStackConfig>

/** Whether the log has colours: on a terminal without NO_COLOR (no-color.org). */
export function wantsColour(environment: Environment, isTerminal: boolean): boolean {
  return isTerminal && !environment.NO_COLOR
}

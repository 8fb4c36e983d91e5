// The address that the public port listens on: production serves a network, development this machine (V3).

import { networkInterfaces } from 'node:os'
import { LOOPBACK } from './plan-stack.ts'
import { OptionError } from './scale.ts'

/** Every address of the machine. */
const EVERYWHERE = '0.0.0.0'

interface Wanted {
  isDevelopment: boolean
  /** The value of `--host`; the empty text without a value, undefined without the option. */
  option: string | undefined
  /** The setting HOST, or its default. */
  setting: string
  /** Whether the environment has the setting. */
  isSet: boolean
  warn: (message: string) => void
}

/** Throws an OptionError for `--host` where the setting decides. */
export function listenHost({ isDevelopment, option, setting, isSet, warn }: Wanted): string {
  if (!isDevelopment) {
    if (option !== undefined) throw new OptionError('--host: an option of portico dev; portico start listens on HOST')
    return setting
  }
  const host = option === '' ? EVERYWHERE : (option ?? LOOPBACK)
  if (isSet && setting !== host)
    warn(`HOST=${setting} has no effect: portico dev listens on ${host}; portico dev --host lets other machines in`)
  return host
}

/** Addresses for browsers on other machines, if the public port listens on each address. */
export function networkAddresses(host: string, port: number): string[] {
  if (host !== EVERYWHERE && host !== '::') return []
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => `http://${address}:${port}`)
}

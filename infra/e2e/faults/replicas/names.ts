// Loaded before a service by `--import`: names of services resolve as in a container network, from a file that tests
// change while the service runs. Lines are `name address address …`; other names are the system's.

import dns, { type LookupAddress, type LookupAllOptions } from 'node:dns'
import { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

type Callback = (error: Error | null, address?: string | LookupAddress[], family?: number) => void

const file = process.env.NAMES_FILE
// Encoder children inherit the option and not the setting: they look nothing up.
if (file !== undefined) {
  const systemLookup = dns.lookup
  const addressesOf = (name: string): LookupAddress[] | undefined =>
    readFileSync(file, 'utf8')
      .split('\n')
      .find((text) => text.startsWith(`${name} `))
      ?.split(' ')
      .slice(1)
      .filter(Boolean)
      .map((address) => ({ address, family: 4 }))
  const unknown = (name: string) => Object.assign(new Error(`${name} is not known`), { code: 'ENOTFOUND' })
  const lookup = (name: string, second: LookupAllOptions | Callback, third?: Callback) => {
    const callback = typeof second === 'function' ? second : third
    const isAll = typeof second === 'object' && second !== null && second.all === true
    const found = addressesOf(name)
    // The arguments are those of dns.lookup, whose overloads have no common form.
    if (!found || !callback) return Reflect.apply(systemLookup, dns, third ? [name, second, third] : [name, second])
    process.nextTick(() => {
      const [first] = found
      if (!first) callback(unknown(name))
      else if (isAll) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
  Object.assign(dns, { lookup })
  syncBuiltinESMExports()
}

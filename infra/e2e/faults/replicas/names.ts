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
  const lookup = (name: string, second: LookupAllOptions | Callback, third?: Callback) => {
    const callback = typeof second === 'function' ? second : third
    const isAll = typeof second === 'object' && second !== null && second.all === true
    const line = readFileSync(file, 'utf8')
      .split('\n')
      .find((text) => text.startsWith(`${name} `))
    // The arguments are those of dns.lookup, whose overloads have no common form.
    if (line === undefined || !callback)
      return Reflect.apply(systemLookup, dns, third ? [name, second, third] : [name, second])
    const found = line.split(' ').slice(1).filter(Boolean)
    process.nextTick(() => {
      if (found.length === 0) callback(Object.assign(new Error(`${name} is not known`), { code: 'ENOTFOUND' }))
      else if (isAll)
        callback(
          null,
          found.map((address) => ({ address, family: 4 })),
        )
      else callback(null, found[0] ?? '', 4)
    })
  }
  Object.assign(dns, { lookup })
  syncBuiltinESMExports()
}

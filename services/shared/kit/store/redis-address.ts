// Reads the addresses of Redis that settings have: one server, a master behind Sentinels, or a Cluster.

/** An address as text, with its password, and its hosts for messages. `URL` objects of one server have this form. */
export interface RedisUrl {
  readonly href: string
  readonly host: string
}

interface RedisHost {
  host: string
  port: number
}

interface Login {
  isTls: boolean
  username: string | undefined
  password: string | undefined
}

export type RedisAddress = Login &
  (
    | { kind: 'single'; hosts: [RedisHost]; database: number }
    | {
        kind: 'sentinel'
        /** The Sentinels. */
        hosts: RedisHost[]
        /** The name of the master, as in `sentinel monitor`. */
        name: string
        sentinelUsername: string | undefined
        sentinelPassword: string | undefined
        replicas: number
      }
    | {
        kind: 'cluster'
        /** Nodes that are requested first; the client learns of the others. */
        hosts: RedisHost[]
        replicas: number
      }
  )

/** Replicas that must confirm a submission before its action runs, where the address has no other number. */
const REPLICAS = 1
const MOST_REPLICAS = 5

const FORM = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^/?#]*))?(?:\?([^?#]*))?$/
const HOST = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/

/**
 * Reads an address, or returns the rule that it breaks: none where the text has another form.
 *
 * @example parseRedisUrl('redis+sentinel://actions:secret@sentinel-1,sentinel-2:26380/state')
 */
export function parseRedisUrl(text: string): RedisAddress | { rule: string | undefined } {
  const [, scheme, mode = 'single', userInfo, hostList = '', path = '', query = ''] = FORM.exec(text) ?? []
  const login = readLogin(userInfo)
  if (!scheme || !login) return { rule: undefined }
  const hosts = hostList.split(',').map((item) => readHost(item, mode === 'sentinel' ? 26_379 : 6379))
  if (!hosts.every((host) => host !== undefined)) return { rule: 'an address whose hosts are host or host:port' }
  const given = readQuery(query, OPTIONS[mode as keyof typeof OPTIONS])
  if ('rule' in given) return given
  const common = { isTls: scheme === 'rediss', ...login }
  if (mode === 'single') {
    const [only, ...others] = hosts
    if (!only || others.length > 0) return { rule: 'redis+cluster:// or redis+sentinel:// where it has several hosts' }
    if (!/^\d{0,4}$/.test(path)) return { rule: 'an address whose path is the number of a database' }
    return { kind: 'single', ...common, hosts: [only], database: Number(path) }
  }
  if (mode === 'cluster') {
    if (path !== '') return { rule: 'an address without a path: a Cluster has one database' }
    return { kind: 'cluster', ...common, hosts, replicas: given.replicas }
  }
  if (!/^[\w.-]+$/.test(path)) return { rule: 'redis+sentinel://user@hosts/name with the name of the master' }
  return { kind: 'sentinel', ...common, hosts, name: path, ...given }
}

/** The address with another password. */
export function withPassword(text: string, password: string): string {
  return text.replace(/^([a-z+]+:\/\/)(?:([^/?#@:]*):?@)?/, (_, scheme: string, user = '') => {
    return `${scheme}${user}:${encodeURIComponent(password)}@`
  })
}

export function toRedisUrl(text: string): RedisUrl {
  const host = text.replace(/^[a-z+]+:\/\//, '').replace(/^[^/?#]*@/, '')
  return { href: text, host: host.replace(/[/?].*$/s, '') }
}

/**
 * The address for messages. SECURITY: without passwords, also if the address breaks the rules; undefined where the place
 * of a password cannot be known.
 */
export function maskRedisUrl(text: string): string | undefined {
  const masked = text
    .replace(/^([a-z+]{1,20}:\/\/)([^:@/?#]*)(:.*)?@/s, (_, scheme, user, password) =>
      password === undefined ? `${scheme}${user}@` : `${scheme}${user}:***@`,
    )
    .replace(/(?<=\?.*)=[^&]*/gs, '=***')
  // A password whose `&` is not percent-encoded ends in what looks like the name of an option.
  if (/\?.*password/is.test(masked) && !MASKED_OPTIONS.test(masked)) return undefined
  const isClear = /^[a-z+]{1,20}:\/\/(?:[^:@/?#]*(?::\*{3})?@)?([^/?#@]*)(?:\/[\w.-]*)?(?:\?[\w&=*]*)?$/.exec(masked)
  return isClear?.[1]?.split(',').every((item) => /^(\[[\da-fA-F:.]*\]|[\w.-]*)(:\d*)?$/.test(item))
    ? masked
    : undefined
}

const MASKED_OPTIONS = /^[^?]*\?(?:(?:replicas|sentinelUsername|sentinelPassword)=\*{3}(?:&|$))+$/

function readLogin(userInfo = ''): Pick<Login, 'username' | 'password'> | undefined {
  const at = userInfo.indexOf(':')
  const [user, password] = at < 0 ? [userInfo, ''] : [userInfo.slice(0, at), userInfo.slice(at + 1)]
  try {
    return { username: decodeURIComponent(user) || undefined, password: decodeURIComponent(password) || undefined }
  } catch {
    // A percent sign that encodes nothing.
    return undefined
  }
}

function readHost(text: string, fallbackPort: number): RedisHost | undefined {
  const [, address, name, port] = HOST.exec(text) ?? []
  const host = address ?? name
  const number = port === undefined ? fallbackPort : Number(port)
  return host === undefined || number < 1 || number > 65_535 ? undefined : { host, port: number }
}

const OPTIONS = {
  single: [],
  sentinel: ['replicas', 'sentinelUsername', 'sentinelPassword'],
  cluster: ['replicas'],
} as const

interface Given {
  replicas: number
  sentinelUsername: string | undefined
  sentinelPassword: string | undefined
}

function readQuery(query: string, names: readonly string[]): Given | { rule: string } {
  const values: Record<string, string | undefined> = {}
  for (const pair of query === '' ? [] : query.split('&')) {
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    if (!names.includes(name))
      return {
        rule:
          names.length > 0 ? `an address with no other options than ${names.join(', ')}` : 'an address without options',
      }
    try {
      values[name] = decodeURIComponent(value)
    } catch {
      return { rule: `an address whose ${name} is percent-encoded` }
    }
  }
  const { replicas = String(REPLICAS), sentinelUsername, sentinelPassword } = values
  if (!/^\d$/.test(replicas) || Number(replicas) > MOST_REPLICAS)
    return { rule: `an address whose replicas are 0 to ${MOST_REPLICAS}` }
  return { replicas: Number(replicas), sentinelUsername, sentinelPassword }
}

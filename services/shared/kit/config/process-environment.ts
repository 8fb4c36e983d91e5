// Which variables the process of a service gets: the settings of its list, those of Node and the system, and the site's own
// where the service runs code of the site. The stack of one machine starts its services by this rule, and infra/checks
// compares compose files and manifests with it (F3, W5).

import { FROM_STACK } from './from-stack.ts'
import type { ALL_SERVICES, Setting } from './setting.ts'
import { SETTINGS, type SettingName } from './settings.ts'

type Service = (typeof ALL_SERVICES)[number]

/** The services that load modules of the site, and so the only ones with its variables. */
export const SITE_SERVICES: readonly Service[] = ['renderer', 'actions']

/**
 * Variables that every process gets. `*` is any end of a name. SECURITY: no pattern may match a secret of another program:
 * `NODE_*` would, since build servers have NODE_AUTH_TOKEN.
 */
const OF_EVERY_PROCESS: readonly string[] = [
  // Programs, folders, time and language.
  ...['PATH', 'HOME', 'TMPDIR', 'TMP', 'TEMP', 'TZ', 'LANG', 'LANGUAGE', 'LC_*'],
  // The loader of the system and its memory.
  ...['LD_*', 'NIX_LD*', 'MALLOC_*', 'GLIBC_TUNABLES'],
  // What libraries choose by development or production.
  'NODE_ENV',
  FROM_STACK,
  // Flags, cache of compiled code, threads and diagnostics of Node.
  ...['NODE_OPTIONS', 'NODE_PATH', 'NODE_ICU_DATA', 'NODE_NO_WARNINGS', 'NODE_PENDING_DEPRECATION'],
  ...['NODE_COMPILE_CACHE', 'NODE_COMPILE_CACHE_PORTABLE', 'NODE_DISABLE_COMPILE_CACHE', 'UV_THREADPOOL_SIZE'],
  ...['NODE_DEBUG', 'NODE_DEBUG_NATIVE', 'NODE_REDIRECT_WARNINGS', 'NODE_V8_COVERAGE', 'DEBUG'],
  // Certificates that connections are checked with.
  ...['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'NODE_TLS_REJECT_UNAUTHORIZED'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'OPENSSL_CONF'],
  // The way out of the network of the machine.
  ...['NODE_USE_ENV_PROXY', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  // The exporter of traces reads more than the list of settings has.
  'OTEL_*',
]

/**
 * Whether the process of a service gets a variable of this name. A setting is never one of the site's own variables: code of
 * the site gets those that renderer or actions read.
 */
export function isGivenTo(service: Service, name: string): boolean {
  if (isSetting(name)) {
    const { services }: Setting = SETTINGS[name]
    return services.includes(service)
  }
  return SITE_SERVICES.includes(service) || OF_EVERY_PROCESS.some((pattern) => matches(pattern, name))
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name)
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

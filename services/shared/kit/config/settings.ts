// Every environment variable that a service reads: the one list for config.ts files, .env.example and the settings
// table of the documentation (W5).

import { MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS } from '../../wire/constants.ts'
import { OBSERVING_SETTINGS } from './observing-settings.ts'
import { ALL_SERVICES, type Setting } from './setting.ts'

export type { Setting }

export const SETTINGS = {
  HOST: {
    rule: 'an address or a host name',
    fallback: '0.0.0.0',
    help: 'Address that the public port and the inner ports listen on; services behind the gateway use it too. Under npm start inner ports listen on 127.0.0.1. `portico dev` listens on this machine only, whatever the setting is, and has --host.',
    services: [...ALL_SERVICES, 'stack'],
  },
  PORT: {
    rule: 'a port, 0 to 65535',
    fallback: '8080',
    help: 'Public port of the gateway; port of the other services on the inner network. Code of the site reads the port of its service in PORT, under npm start the public port: apps send requests to their own API at this port of localhost.',
    services: [...ALL_SERVICES, 'stack'],
  },
  SITE_PORT: {
    rule: 'a port, 0 to 65535',
    fallback: '8081',
    help: 'Unpublished second listener of the gateway, where the images service fetches files of the site.',
    services: ['gateway'],
  },
  INNER_PORT: {
    rule: 'a port, 0 to 65535',
    fallback: '9090',
    help: 'Port of health, metrics and control; never published.',
    services: ALL_SERVICES,
  },
  RENDERER_URL: {
    rule: 'http URLs with commas between them',
    fallback: 'http://renderer:8080',
    help: 'Addresses of the renderer: one URL whose host may resolve to many replicas, or one URL for each replica. Inner ports are at the same hosts.',
    services: ['gateway', 'actions'],
  },
  IMAGES_URL: {
    rule: 'http URLs with commas between them',
    fallback: 'http://images:8080',
    help: 'Addresses of the images service, as those of the renderer.',
    services: ['gateway'],
  },
  ACTIONS_URL: {
    rule: 'http URLs with commas between them',
    fallback: 'http://actions:8080',
    help: 'Addresses of the actions service, as those of the renderer.',
    services: ['gateway', 'renderer', 'actions'],
  },
  SITE_URL: {
    rule: 'an http URL',
    fallback: 'http://gateway:8081',
    help: "The gateway's second listener (SITE_PORT) as other services reach it.",
    services: ALL_SERVICES,
  },
  CACHE_REDIS_URL: {
    rule: 'redis://user@host:6379, redis+sentinel://user@host1,host2/name or redis+cluster://user@host1,host2; rediss for TLS',
    help: 'Shared cache of image variants. Without it: memory and disk.',
    services: ['images'],
  },
  CACHE_REDIS_PASSWORD_FILE: {
    rule: 'a file that contains the password for CACHE_REDIS_URL, which then names the user and no password',
    help: 'The password of the user in CACHE_REDIS_URL. Read once, at start.',
    services: ['images'],
  },
  STATE_REDIS_URL: {
    rule: 'redis://user@host:6379, redis+sentinel://user@host1,host2/name or redis+cluster://user@host1,host2; rediss for TLS',
    help: 'Shared state that must not be evicted: submissions, secrets, files of other builds. Without it: files in DATA_DIR.',
    services: ['gateway', 'renderer', 'actions'],
  },
  STATE_REDIS_PASSWORD_FILE: {
    rule: 'a file that contains the password for STATE_REDIS_URL, which then names the user and no password',
    help: 'The password of the user in STATE_REDIS_URL. Read once, at start.',
    services: ['gateway', 'renderer', 'actions'],
  },
  DATA_DIR: {
    rule: 'a folder that can be written',
    fallbackRule: '.data in the app folder',
    help: "Data that must survive a restart: the site's own data, submissions, development keys. The folder gets mode 0700.",
    services: ['gateway', 'renderer', 'images', 'actions', 'stack'],
  },
  CACHE_DIR: {
    rule: 'a folder that can be written',
    fallbackRule: 'cache in DATA_DIR',
    help: "Data that may be deleted at any time: image variants of a stack without Redis, caches of the site's code.",
    services: ['renderer', 'images', 'actions', 'stack'],
  },
  PUBLIC_ORIGINS: {
    rule: 'origins with commas between them, for example https://example.org,https://www.example.org',
    help: 'The public origins of the site, used for cross-site checks and absolute URLs. Pages that are the same for all clients are rendered for the first one. Empty: the Host of each request, and http://localhost for such pages.',
    services: ['gateway', 'renderer', 'actions'],
  },
  GATEWAY_CACHE_MB: {
    rule: 'a whole number of mebibytes, 0 to 65536',
    fallbackRule: 'a sixth of the memory limit of the container; 64 without a limit',
    help: 'Memory in which one gateway keeps pages that are the same for all clients, compressed forms included. 0: the gateway keeps no pages, and each request for a page is sent to a renderer. Under development no pages are kept.',
    services: ['gateway'],
  },
  GATEWAY_WORKERS: {
    rule: 'a whole number, 1 to 8',
    fallbackRule:
      'the processors that the container may use, at most 4, and no more than fit into its memory; 1 under `portico start` and `portico dev`',
    help: 'Processes of one gateway that serve its port. With more than one, a further process has the inner port. The memory for pages, and the limits of one gateway, are divided by this number, except MAX_CONNECTIONS_PER_ADDRESS, which each process counts itself. SIGHUP replaces the processes one after the other.',
    services: ['gateway'],
  },
  CDN_TAGS: {
    rule: 'on or off',
    fallback: 'off',
    help: 'Whether responses carry `CDN-Cache-Control` and `Cache-Tag` for a CDN in front of the gateway. Needs the page cache (GATEWAY_CACHE_MB).',
    services: ['gateway', 'actions'],
  },
  CDN_PURGE_URL: {
    rule: 'an http or https URL without a user, where CDN_TAGS is on',
    help: 'Receives a POST with the cache tags that are out of date after each change, to purge them at the CDN. Empty: nothing is purged, and the CDN keeps pages up to their age limit.',
    services: ['actions'],
  },
  CDN_PURGE_AUTHORIZATION: {
    rule: 'printable ASCII, as in "Bearer secret"',
    help: 'The Authorization header of requests to CDN_PURGE_URL.',
    services: ['actions'],
  },
  REWRITE_INNER_HOSTS: {
    rule: 'hosts, with or without a port, with commas between them, for example backend,10.0.0.5:3000',
    help: 'Hosts of rewrites that may have addresses of the machine or of an inner network. Other hosts must have public addresses.',
    services: ['gateway'],
  },
  TRUSTED_PROXIES: {
    rule: 'addresses or CIDR ranges with commas between them',
    help: 'Proxies in front of the gateway whose X-Forwarded-* headers are believed. Empty: none.',
    services: ['gateway'],
  },
  MAX_CONNECTIONS: {
    rule: 'a whole number, 16 to 1000000',
    fallback: `${MAX_CONNECTIONS}`,
    help: 'Connections that a listener holds at a time. Each needs a descriptor (`ulimit -n`), at the gateway up to two. At the public port, idle connections of the addresses that hold most are closed for a new address; connections above the limit are closed.',
    services: ALL_SERVICES,
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    rule: 'a whole number, 1 to 1000000',
    fallback: `${MAX_CONNECTIONS_PER_ADDRESS}`,
    help: 'Connections that one address (IPv6: one /64) holds at the public port. Addresses of TRUSTED_PROXIES are exempt: behind them this is the number of running requests of one forwarded address.',
    services: ['gateway'],
  },
  ACCESS_LINES_PER_CLIENT: {
    rule: 'a whole number of lines, 0 to 1000000',
    fallback: '100',
    help: 'Log lines of requests that a gateway process writes in a second for one address (IPv6: one /64); the rest is one line with their number by status. Metrics count every request. 0: no limit.',
    services: ['gateway'],
  },
  RATE_LIMIT_POSTS: {
    rule: 'a whole number of requests, 0 to 60000',
    fallback: '0',
    help: 'Requests with POST, PUT, PATCH or DELETE that one address (IPv6: one /64) may send in a minute, over all gateways; more get 429. 0: no limit.',
    services: ['gateway'],
  },
  RATE_LIMIT_COLD_IMAGES: {
    rule: 'a whole number of images, 0 to 60000',
    fallback: '0',
    help: 'Images that one address (IPv6: one /64) may have made in a minute, over all replicas; images of a cache do not count. More get a wider image of a cache, or 429. 0: no limit.',
    services: ['images'],
  },
  ACTION_KEYS: {
    rule: 'keys of 32 or more characters with commas between them; the first one signs, all verify',
    help: 'Signs bound arguments of forms, signs and encrypts sessions, and encrypts kept responses. Empty: created at first start and kept in the state store, next to the encrypted responses; `portico secrets rotate` makes the next one.',
    services: ['renderer', 'actions'],
  },
  STACK_TOKEN: {
    rule: '32 or more characters',
    help: 'Shared secret of inner control calls. Empty: created at first start and kept in the state store, where `portico secrets rotate` makes the next one; purging images stays off.',
    services: ALL_SERVICES,
  },
  LOG_LEVEL: {
    rule: 'one of trace, debug, info, warn, error, silent',
    fallback: 'info',
    help: 'Least important log line that is written.',
    services: [...ALL_SERVICES, 'stack'],
  },
  APP_DIR: {
    rule: 'a folder that contains pages/ (and dist/ after a build)',
    fallback: 'web/app',
    help: 'The app folder to build and serve.',
    services: [...ALL_SERVICES, 'stack'],
  },
  EDITOR: {
    rule: 'a command, with arguments where it needs them',
    fallback: 'code',
    help: 'Command that opens a source from the error overlay in development.',
    services: ['renderer'],
  },
  IMAGE_SLOTS: {
    rule: 'a whole number, 1 to 64',
    fallbackRule: 'one less than the processors, at least 1',
    help: 'Images that one images replica encodes at a time, each in its own process.',
    services: ['images'],
  },
  IMAGE_MEMORY_MB: {
    rule: 'a whole number of mebibytes, 16 to 65536',
    fallbackRule: 'an eighth of the memory, at most 256',
    help: 'Memory in which one images replica keeps encoded variants, in front of Redis or the disk.',
    services: ['images'],
  },
  IMAGE_DISK_MB: {
    rule: 'a whole number of mebibytes, 16 to 1048576',
    fallback: '1024',
    help: 'Largest size of the image variants in CACHE_DIR; the least recently used are removed first.',
    services: ['images'],
  },
  DRAIN_DELAY_MS: {
    rule: 'milliseconds, 0 to 60000, and less than DRAIN_DEADLINE_MS',
    fallback: '1000',
    help: 'After SIGTERM a service reports not ready and keeps serving for this long, so that load balancers can choose other replicas.',
    services: ALL_SERVICES,
  },
  DRAIN_DEADLINE_MS: {
    rule: 'milliseconds, 1000 to 600000',
    fallback: '15000',
    help: 'After SIGTERM a service exits at the latest after this long.',
    services: ALL_SERVICES,
  },
  ...OBSERVING_SETTINGS,
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS

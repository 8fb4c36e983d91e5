// Over the small site: pages with scripts, frames, requests and fonts of other hosts, a policy that allows them on one
// page, and the hosts: servers on other addresses of this machine.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SiteFiles } from '../make-site.ts'

export const THIRD_PARTIES: SiteFiles = {
  'lib/csp.ts': `import type { PorticoConfig } from 'portico/config'
const hosts = ['PAY_URL', 'ANALYTICS_URL', 'ERRORS_URL', 'VIDEO_URL', 'FONTS_URL'] as const
export const publicEnv: PorticoConfig['publicEnv'] = Object.fromEntries(hosts.map((name) => [name, { type: 'url' }]))
const pay = { env: 'PAY_URL' }
const analytics = { env: 'ANALYTICS_URL' }
export const csp: PorticoConfig['csp'] = {
  routes: {
    '/third/allowed': {
      directives: {
        'script-src': [pay, analytics],
        'connect-src': [pay, analytics, { env: 'ERRORS_URL' }],
        'frame-src': [pay, { env: 'VIDEO_URL' }],
        'style-src': [{ env: 'FONTS_URL' }],
        'font-src': [{ env: 'FONTS_URL' }],
      },
    },
    '/third/strict': { directives: { 'script-src': ["'strict-dynamic'"] } },
  },
}
`,
  'pages/_document.tsx': `import { Head, Html, Main, publicEnv, Scripts } from 'portico'
const theme = 'document.documentElement.dataset.theme = "dark"'
export default function Document() {
  return (
    <Html lang="en" data-pay={String(publicEnv('PAY_URL'))}>
      <Head><script dangerouslySetInnerHTML={{ __html: theme }} /></Head>
      <body><Main /><Scripts /></body>
    </Html>
  )
}
`,
  'components/third-parties.tsx': `import { publicEnv } from 'portico'
import { useEffect, useState } from 'react'
const address = (name: string, path: string) => new URL(path, String(publicEnv(name))).href
const attempt = (url: string) => fetch(url, { method: 'POST', body: 'x' }).then(() => 'sent', () => 'refused')
export function ThirdParties() {
  const [sent, setSent] = useState('waiting')
  useEffect(() => {
    const addresses = [address('PAY_URL', '/api'), address('ANALYTICS_URL', '/collect'), address('ERRORS_URL', '/report')]
    void Promise.all(addresses.map(attempt)).then((results) => setSent(results.join(' ')))
  }, [])
  return (
    <main>
      <link rel="stylesheet" href={address('FONTS_URL', '/fonts.css')} precedence="default" />
      <script async src={address('PAY_URL', '/pay.js')} />
      <script async src={address('ANALYTICS_URL', '/analytics.js')} />
      <iframe title="pay" src={address('PAY_URL', '/frame')} />
      <iframe title="video" src={address('VIDEO_URL', '/embed')} />
      <p id="sent" style={{ fontFamily: 'hosted' }}>{sent}</p>
    </main>
  )
}
`,
  'pages/third/allowed.tsx': `import { ThirdParties } from '../../components/third-parties.tsx'
export default function Allowed() {
  return <ThirdParties />
}
`,
  'pages/third/blocked.tsx': `import { ThirdParties } from '../../components/third-parties.tsx'
export default function Blocked() {
  return <ThirdParties />
}
`,
  'pages/third/strict.tsx': `import { Link, useNonce } from 'portico'
import { useState } from 'react'
export const getServerSideProps = () => ({ props: {} })
export default function Strict() {
  const [count, setCount] = useState(0)
  return (
    <main>
      <script nonce={useNonce()} dangerouslySetInnerHTML={{ __html: 'window.ran = "with a nonce"' }} />
      <script dangerouslySetInnerHTML={{ __html: 'window.ran = "without a nonce"' }} />
      <button type="button" id="count" onClick={() => setCount(count + 1)}>count {count}</button>
      <Link id="allowed" href="/third/allowed">Allowed</Link>
    </main>
  )
}
`,
}

/** What each host serves. */
const PATHS: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/pay.js': ['text/javascript', 'window.pay = "ready"'],
  '/analytics.js': ['text/javascript', 'window.analytics = "ready"'],
  '/frame': ['text/html', '<!DOCTYPE html><title>Pay</title>'],
  '/embed': ['text/html', '<!DOCTYPE html><title>Video</title>'],
  '/fonts.css': ['text/css', '@font-face { font-family: hosted; src: url(/hosted.woff2) format("woff2"); }'],
}

export interface ThirdPartyHosts {
  /** For the environment of a stack. */
  env: Record<string, string>
  /** The requested paths, sorted. */
  requested: () => string[]
  forget: () => void
  stop: () => Promise<void>
}

/** Starts the hosts, each with its own address. */
export async function startThirdParties(): Promise<ThirdPartyHosts> {
  let requested: string[] = []
  const env: Record<string, string> = {}
  const servers = await Promise.all(
    ['PAY', 'ANALYTICS', 'ERRORS', 'VIDEO', 'FONTS'].map(async (name, index) => {
      const server = createServer((request, response) => {
        const { url = '' } = request
        requested.push(url)
        const [type, body] = PATHS[url] ?? ['text/plain', '']
        response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' }).end(body)
      })
      const host = `127.0.0.${index + 2}`
      await new Promise<void>((done) => server.listen(0, host, done))
      // A TCP server that listens has an AddressInfo.
      env[`${name}_URL`] = `http://${host}:${(server.address() as AddressInfo).port}/v1?key=1`
      return server
    }),
  )
  return {
    env,
    requested: () => [...new Set(requested)].sort(),
    forget: () => {
      requested = []
    },
    async stop() {
      for (const server of servers) server.closeAllConnections()
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
    },
  }
}

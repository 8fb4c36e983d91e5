// A local OpenID provider with one client and no password: authorization code with PKCE, and ID tokens that are signed.

import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What an app has in its environment. */
const CLIENT = { id: 'an-app', secret: 'a-secret-of-the-app' }
const KEY_ID = 'one'
const TOKEN_SECONDS = 3600

export interface IdentityProvider {
  origin: string
  stop: () => Promise<void>
}

interface Grant {
  name: string
  nonce: string | null
  challenge: string | null
  redirectUri: string
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' }
  const grants = new Map<string, Grant>()
  const names = new Map<string, string>()

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', origin)
    const json = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /.well-known/openid-configuration':
        return json(200, metadata(origin))
      case 'GET /keys':
        return json(200, { keys: [jwk] })
      case 'GET /authorize':
        return response.writeHead(200, { 'content-type': 'text/html' }).end(loginForm(url.search))
      case 'POST /authorize': {
        const code = randomUUID()
        grants.set(code, readGrant(url.searchParams, new URLSearchParams(await text(request))))
        const target = new URL(url.searchParams.get('redirect_uri') ?? '')
        target.searchParams.set('code', code)
        target.searchParams.set('state', url.searchParams.get('state') ?? '')
        return response.writeHead(302, { location: target.href }).end()
      }
      case 'POST /token': {
        const fields = new URLSearchParams(await text(request))
        const grant = grants.get(fields.get('code') ?? '')
        grants.delete(fields.get('code') ?? '')
        if (!grant || !isAllowed(request, fields, grant)) return json(400, { error: 'invalid_grant' })
        const token = randomUUID()
        names.set(token, grant.name)
        const idToken = signToken(privateKey, { ...claims(grant.name), iss: `${origin}/`, nonce: grant.nonce })
        return json(200, { access_token: token, token_type: 'Bearer', expires_in: TOKEN_SECONDS, id_token: idToken })
      }
      case 'GET /userinfo': {
        const name = names.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '')
        return name ? json(200, claims(name)) : json(401, { error: 'invalid_token' })
      }
      default:
        return json(404, { error: 'not_found' })
    }
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A server that listens at a port has an address of this form.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function metadata(origin: string) {
  return {
    issuer: `${origin}/`,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    userinfo_endpoint: `${origin}/userinfo`,
    jwks_uri: `${origin}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
  }
}

function loginForm(search: string): string {
  const action = `/authorize${search.replaceAll('&', '&amp;').replaceAll('"', '')}`
  return `<!doctype html><title>Provider</title><h1>The provider</h1><form method="post" action="${action}">
<input name="name" aria-label="Name"><button>Log in</button></form>`
}

function readGrant(query: URLSearchParams, fields: URLSearchParams): Grant {
  return {
    name: fields.get('name') ?? '',
    nonce: query.get('nonce'),
    challenge: query.get('code_challenge'),
    redirectUri: query.get('redirect_uri') ?? '',
  }
}

/** The client knows its secret, the verifier of the code and the address to which the code was sent. */
function isAllowed({ headers }: IncomingMessage, fields: URLSearchParams, grant: Grant): boolean {
  const basic = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`
  const verifier = fields.get('code_verifier') ?? ''
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return (
    headers.authorization === basic &&
    fields.get('redirect_uri') === grant.redirectUri &&
    (grant.challenge === null || grant.challenge === challenge)
  )
}

function claims(name: string) {
  const now = Math.floor(Date.now() / 1000)
  const email = `${name.toLowerCase()}@example.org`
  return { sub: name, name, nickname: name, email, aud: CLIENT.id, iat: now, exp: now + TOKEN_SECONDS }
}

function signToken(key: KeyObject, payload: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const content = `${part({ alg: 'RS256', typ: 'JWT', kid: KEY_ID })}.${part(payload)}`
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`
}
